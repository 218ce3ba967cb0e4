/** What one view of the opinion bench knows, besides what every bench does. */
import {
  type Answer,
  type ColumnRole,
  FIELDS,
  type Inputs,
  NO_ANSWER,
  NO_PICTURE,
  type OpinionBenchState,
  type Outputs,
  type Picture,
  type Tab,
} from "../../generated/opinion";
import type { Host } from "../../host";
import { answerReader } from "../../lib/bench/records";
import { BenchStore, type BenchView } from "../../lib/bench/store";
import { sent } from "../../lib/bench/upload";
import type { Clock } from "../../lib/coalesce";

/** A row of a panel. */
export interface Spot {
  panel: number;
  row: number;
}

interface Hand {
  spot: Spot | null;
}

export type View = BenchView<Inputs, Answer> & Outputs & Hand;
export type Role = ColumnRole["role"];

const LARGEST = 268_000_000;

export class Store extends BenchStore<Inputs, Answer, Hand, Outputs> {
  constructor(to: Host<OpinionBenchState>, clock?: Clock) {
    super(to, { ...FIELDS, local: { spot: null }, normal: normalAnswer }, clock);
  }

  point(spot: Spot | null): void {
    this.update({ spot });
  }

  /** Another file: the roles of the last one's columns go. */
  choose(subject: string): void {
    this.set({
      ...{ subject, roles: [], reading: "first place", yes: "" },
      ...{ reference: "", labels: [], alike: 0 },
    });
  }

  /** A role has one column; only groups can be several, which are crossed. */
  setRole(column: string, role: Role): void {
    const others = this.view.inputs.roles.filter(
      (one) => one.column !== column && (!role || role === "group" || one.role !== role),
    );
    const before = this.view.answer.columns.find((one) => one.column === column)?.role;
    // Other groups have other names.
    const names = role === "group" || before === "group" ? { reference: "", labels: [] } : {};
    this.set({ roles: [...others, { column, role }], ...names });
  }

  async send(file: File | undefined, what: "answers" | "words" = "answers"): Promise<void> {
    if (!file) return;
    if (file.size > LARGEST)
      return this.notify(`${file.name} is larger than 268 MB. Cut it into parts.`, false);
    const one = await sent(this, file);
    if (one) await this.command("upload", { ...one, what });
  }

  protected override afterAnswer({ picture }: Answer): Partial<Hand> {
    return { spot: rowAt(picture, this.view) ? this.view.spot : null };
  }

  protected override afterSet(moved: (keyof Inputs)[]): Partial<Hand> {
    return moved.includes("tab") ? { spot: null } : {};
  }
}

export const normalAnswer = answerReader(NO_ANSWER, NO_PICTURE);

/** The chosen way of looking; the first where there is none of that name. */
export const tabOf = (picture: Picture | null, { tab }: Inputs): Tab | null =>
  picture?.tabs.find(({ name }) => name === tab) ?? picture?.tabs[0] ?? null;

/** The row that is pointed at. */
export function rowAt(picture: Picture | null, { inputs, spot }: Pick<View, "inputs" | "spot">) {
  const panel = spot && tabOf(picture, inputs)?.panels[spot.panel];
  const row = panel?.rows[spot?.row ?? -1];
  return panel && row ? { panel, row } : null;
}
