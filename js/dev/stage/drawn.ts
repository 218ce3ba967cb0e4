const frame = () => new Promise((done) => requestAnimationFrame(done));

/** Ends when what was changed is laid out and seen. */
export async function drawn(): Promise<void> {
  // A bench measures its width in the first frame, and draws for that in the next.
  for (let i = 0; i < 3; i++) await frame();
}
