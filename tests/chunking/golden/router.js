'use strict';

import { parse } from './parse.js';

const QUOTE = /["'`{]/g; // a regular expression with quotes and a brace in it

/**
 * Finds the route of a path.
 */
export function find(routes, path) {
  const half = path.length / 2, rest = half / 2;
  for (const route of routes) {
    if (route.test(path)) return route;
  }
  return `no route for ${path} (${routes.length ? `of ${routes.length}, it's {` : 'none'})`;
}

export class Router {
  constructor(routes = []) {
    this.routes = routes;
  }

  add(path, handler) {
    this.routes.push({ path, handler });
    return this;
  }

  async handle(request) {
    const text = `
function not_a_function() {
  ${request.path}
`;
    return fetch(text)
      .then((response) => response.json())
      .catch(() => null);
  }
}

describe('router', () => {
  it('finds what was added', () => {
    const router = new Router().add('/a', () => 1);
    expect(router.routes.length).toBe(1);
  });

  it("doesn't find what was not", () => {
    expect(find([], '/b')).toContain('none');
  });
});
