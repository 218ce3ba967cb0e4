import type { Packed } from "../src/lib/packed";

/** An array as Python packs it: in 65,535 steps from its least value to its greatest. */
export function pack(values: readonly number[] | Float32Array, shape: number[]): Packed {
  const known = [...values].filter((v) => !Number.isNaN(v));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const steps = Uint16Array.from(values, (v) =>
    Number.isNaN(v) ? 65535 : Math.round((65534 * (v - low)) / (high - low)),
  );
  return { shape, low, high, data: btoa(String.fromCharCode(...new Uint8Array(steps.buffer))) };
}
