/** Types for the part of Postman's collection library that the tests use. The package itself has no types. */
declare module 'postman-collection' {
  export interface Item {
    readonly request: {
      readonly method: string
      readonly url: { toString(): string }
      readonly description?: { toString(): string }
      readonly body?: { readonly raw?: string }
    }
    readonly responses: { all(): { readonly code: number }[] }
    /** Returns the credential of the request, or of the folder or collection that contains the request. */
    getAuth(): { parameters(): { get(name: string): unknown } } | undefined
  }
  export class Collection {
    constructor(definition: object)
    readonly variables: { get(key: string): unknown }
    forEachItem(visit: (item: Item) => void): void
  }
}
