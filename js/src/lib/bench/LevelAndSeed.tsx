import { NumberField } from "../ui/NumberField";

interface Inputs {
  level: number;
  seed: number;
}

interface Props {
  inputs: Inputs;
  onChange: (changes: Partial<Inputs>) => void;
}

/** How wide intervals are, and what fixes all that is drawn by chance. */
export function LevelAndSeed({ inputs, onChange }: Props) {
  return (
    <>
      <NumberField
        label="Level"
        testid="level"
        value={inputs.level}
        step={0.01}
        min={0.5}
        max={0.999}
        onChange={(level) => onChange({ level })}
      />
      <NumberField
        label="Seed"
        testid="seed"
        value={inputs.seed}
        step={1}
        min={0}
        integer
        onChange={(seed) => onChange({ seed })}
      />
    </>
  );
}
