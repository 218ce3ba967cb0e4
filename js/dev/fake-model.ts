/** Stand-ins for the models of both hosts, for the dev page and the tests. */
import type { HostModel } from "../src/host";

type Listener = () => void;

/** Behaves as anywidget's model: `set` tells listeners at once, `save_changes` sends. */
export class FakeModel implements HostModel {
  readonly sent: Record<string, unknown>[] = [];
  /** Called with each message, as Python would be. */
  onMessage: (changes: Record<string, unknown>) => void = () => {};
  protected readonly listeners = new Map<string, Set<Listener>>();
  protected unsent: Record<string, unknown> = {};

  constructor(readonly state: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.state[name];
  }

  set(name: string, value: unknown): void {
    if (this.state[name] === value) return;
    this.state[name] = value;
    this.unsent[name] = value;
    this.tell(name);
  }

  save_changes(): void {
    const changes = this.unsent;
    this.unsent = {};
    if (Object.keys(changes).length > 0) this.deliver(changes);
  }

  on(event: string, call: Listener): void {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)!.add(call);
  }

  off(event: string, call: Listener): void {
    this.listeners.get(event)?.delete(call);
  }

  /** A change that comes from Python. */
  receive(changes: Record<string, unknown>): void {
    Object.assign(this.state, changes);
    for (const name of Object.keys(changes)) this.tell(name);
  }

  get listening(): number {
    return [...this.listeners.values()].reduce((n, set) => n + set.size, 0);
  }

  protected deliver(changes: Record<string, unknown>): void {
    this.sent.push(changes);
    this.onMessage(changes);
  }

  private tell(name: string): void {
    for (const call of [...(this.listeners.get(`change:${name}`) ?? [])]) call();
  }
}

/**
 * Behaves as Panel's adapter: knows only its own fields, takes one `change:name` at a time, and
 * wraps a Bokeh model that sends what is set together as one message.
 */
export class FakePanelModel extends FakeModel {
  readonly model = {
    data: {
      setv: (changes: Record<string, unknown>) => {
        const moved = Object.entries(changes).filter(
          ([name, value]) => name in this.state && this.state[name] !== value,
        );
        if (moved.length === 0) return;
        this.receive(Object.fromEntries(moved));
        this.deliver(Object.fromEntries(moved));
      },
    },
  };

  override set(): void {
    throw new Error("Panel's adapter sends a message for each field that is set on it.");
  }

  override on(event: string, call: Listener): void {
    if (!/^change:\w+$/.test(event)) throw new Error(`Event of type '${event}' not recognized.`);
    super.on(event, call);
  }
}
