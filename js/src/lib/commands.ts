/** Requests to Python that are answered once: one at a time, each reply finds its request. */
import { browserClock, type Clock } from "./coalesce";

export interface CommandRecord {
  id: number;
  name: string;
  args: Record<string, unknown>;
}

export interface ReplyRecord {
  id: number;
  ok: boolean;
  message: string;
  filename?: string;
  media_type?: string;
  content?: string;
}

interface Request {
  name: string;
  args: Record<string, unknown>;
  done: (reply: ReplyRecord) => void;
}

export class Commands {
  private queue: Request[] = [];
  private current: (Request & { id: number }) | null = null;
  private cancelTimeout: (() => void) | null = null;

  constructor(
    private readonly lastId: () => number,
    private readonly send: (command: CommandRecord) => void,
    private readonly timeout = 20000,
    private readonly clock: Clock = browserClock,
  ) {}

  run(name: string, args: Record<string, unknown> = {}): Promise<ReplyRecord> {
    return new Promise((done) => {
      this.queue.push({ name, args, done });
      this.next();
    });
  }

  replied(reply: ReplyRecord): void {
    if (reply.id === this.current?.id) this.finish(reply);
  }

  dispose(): void {
    this.queue = [];
    this.current = null;
    this.cancelTimeout?.();
  }

  private next(): void {
    if (this.current) return;
    const request = this.queue.shift();
    if (!request) return;
    const id = this.lastId() + 1;
    this.current = { ...request, id };
    this.cancelTimeout = this.clock.after(this.timeout, () =>
      this.finish({
        id,
        ok: false,
        message: "No answer from Python. Check that it is running, then try again.",
      }),
    );
    this.send({ id, name: request.name, args: request.args });
  }

  private finish(reply: ReplyRecord): void {
    const request = this.current;
    this.cancelTimeout?.();
    this.current = null;
    request?.done(reply);
    this.next();
  }
}
