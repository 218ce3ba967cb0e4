/** Arrays of numbers that Python sends as text; `Packed` says how, in posterior_fields.py. */

export interface Packed {
  shape: number[];
  low: number;
  high: number;
  data: string;
}

export interface Numbers {
  shape: readonly number[];
  /** In C order; NaN where there is no number. */
  values: Float32Array;
}

const STEPS = 65534;
const NONE = 65535;
const NOTHING: Numbers = { shape: [0], values: new Float32Array(0) };

const read = new WeakMap<Packed, Numbers>();

/** The numbers of a packed array; the same object again for the same record. */
export function unpack(packed: Packed | null | undefined): Numbers {
  if (!packed?.data) return NOTHING;
  let numbers = read.get(packed);
  if (!numbers) {
    numbers = unpacked(packed);
    read.set(packed, numbers);
  }
  return numbers;
}

function unpacked({ shape, low, high, data }: Packed): Numbers {
  const text = atob(data);
  const values = new Float32Array(text.length >> 1);
  const step = (high - low) / STEPS;
  for (let i = 0, at = 0; i < values.length; i++, at += 2) {
    const integer = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 8);
    values[i] = integer === NONE ? Number.NaN : low + step * integer;
  }
  return { shape, values };
}

/** Rows and columns of an array of two dimensions. */
export const sizes = ({ shape }: Numbers): [number, number] => [shape[0] ?? 0, shape[1] ?? 0];

/** One row of an array of two dimensions. */
export function rowOf(numbers: Numbers, row: number): Float32Array {
  const [, columns] = sizes(numbers);
  return numbers.values.subarray(row * columns, (row + 1) * columns);
}
