const frame = () => new Promise((done) => requestAnimationFrame(done));

/** Ends when what was changed is laid out and seen. */
export async function drawn(): Promise<void> {
  // A bench measures its width in the first frame, and draws for that in the next.
  for (let i = 0; i < 3; i++) await frame();
}

/** Ends when what was changed is in the document: components draw in a microtask. */
export function rendered(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((done) => {
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}
