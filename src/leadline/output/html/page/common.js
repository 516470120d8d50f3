const root = document.documentElement;

// What `packed` put into a script element: JSON, or a script.
async function unpacked(identifier) {
  const packed = atob(document.getElementById(identifier).textContent);
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
