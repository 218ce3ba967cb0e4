/** The lessons that came with the package, copied to where a person can write. */

export interface Entry {
  name: string;
  path: string;
  type: string;
  content?: unknown;
}

export interface Contents {
  get(path: string): Promise<Entry>;
  save(path: string, options: object): Promise<Entry>;
}

interface Listing {
  folder: string;
  first: string;
  names: string[];
}

export class Tour {
  /** @param home - Address of the folder with `lessons.json` and the lessons. */
  constructor(
    private readonly contents: Contents,
    private readonly home: string,
    private readonly read: (url: string) => Promise<unknown> = json,
  ) {}

  /** Copies the lessons that are missing; lessons that are there, with their answers, stay. */
  async lay(): Promise<string> {
    const { folder, first, names } = (await this.read(`${this.home}lessons.json`)) as Listing;
    if (!(await this.#names("")).has(folder)) {
      await this.contents.save(folder, { type: "directory" });
    }
    const there = await this.#names(folder);
    for (const name of names.filter((one) => !there.has(one))) {
      const content = await this.read(`${this.home}lessons/${name}`);
      await this.contents.save(`${folder}/${name}`, { type: "notebook", format: "json", content });
    }
    return `${folder}/${first}`;
  }

  async #names(path: string): Promise<Set<string>> {
    const { content } = await this.contents.get(path);
    return new Set((content as Entry[]).map((entry) => entry.name));
  }
}

async function json(url: string): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} could not be read: ${answer.status}.`);
  return answer.json();
}
