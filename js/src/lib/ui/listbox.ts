/** Beside the role of a listbox: without options it is a group, or screen readers report an error. */
export const whenEmpty = (count: number) => (count > 0 ? {} : ({ role: "group" } as const));
