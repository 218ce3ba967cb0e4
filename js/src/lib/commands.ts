/** Requests to Python that are answered once: one at a time, each reply finds its request. */
import type { Command, Reply } from "../generated/shared";
import { browserClock, type Clock } from "./coalesce";

interface Request {
  name: string;
  args: Record<string, unknown>;
  done: (reply: Reply) => void;
}

export class Commands {
  #queue: Request[] = [];
  #current: (Request & { id: number }) | null = null;
  #cancelTimeout: (() => void) | null = null;

  constructor(
    private readonly lastId: () => number,
    private readonly send: (command: Command) => void,
    private readonly timeout = 20000,
    private readonly clock: Clock = browserClock,
  ) {}

  run(name: string, args: Record<string, unknown> = {}): Promise<Reply> {
    return new Promise((done) => {
      this.#queue.push({ name, args, done });
      this.#next();
    });
  }

  replied(reply: Reply): void {
    if (reply.id === this.#current?.id) this.#finish(reply);
  }

  dispose(): void {
    this.#queue = [];
    this.#current = null;
    this.#cancelTimeout?.();
  }

  #next(): void {
    if (this.#current) return;
    const request = this.#queue.shift();
    if (!request) return;
    const id = this.lastId() + 1;
    this.#current = { ...request, id };
    this.#cancelTimeout = this.clock.after(this.timeout, () =>
      this.#finish({
        id,
        ok: false,
        message: "No answer. Check that the server or the kernel is running, then try again.",
      }),
    );
    this.send({ id, name: request.name, args: request.args });
  }

  #finish(reply: Reply): void {
    const request = this.#current;
    this.#cancelTimeout?.();
    this.#current = null;
    request?.done(reply);
    this.#next();
  }
}
