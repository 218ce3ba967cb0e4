import { type Limits, NumberField } from "../ui/NumberField";

/** An input that is a number, as the store has it. */
interface Input extends Limits {
  testid: string;
  value: number;
  onChange: (value: number) => void;
}

/** How wide intervals are, and what fixes all that is drawn by chance. */
export function LevelAndSeed({ level, seed }: { level: Input; seed: Input }) {
  return (
    <>
      <NumberField {...level} label="Level" />
      <Seed {...seed} />
    </>
  );
}

/** What fixes all that is drawn by chance. */
export const Seed = (seed: Input) => <NumberField {...seed} label="Seed" />;
