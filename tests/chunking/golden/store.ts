export interface Item {
  id: string;
  name: string;
  price?: number;
}

export type Listener = (item: Item) => void;

// Keeps items, and tells those who listen.
@injectable()
export class Store<T extends Item> {
  private items = new Map<string, T>();
  private listeners: Listener[] = [];

  add(item: T): void {
    this.items.set(item.id, item);
    for (const listener of this.listeners) listener(item);
  }

  get(id: string): T | undefined {
    return this.items.get(id);
  }

  total(): number {
    return [...this.items.values()].reduce((sum, item) => sum + (item.price ?? 0), 0);
  }
}

namespace Internal {
  export const limit = 100;

  export function check(item: Item): boolean {
    return item.name.length < limit;
  }
}

export default new Store<Item>();
