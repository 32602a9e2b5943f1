/** What the tests use of Postman's own reader of collections, which comes without types. */
declare module 'postman-collection' {
  export interface Item {
    readonly request: {
      readonly method: string
      readonly url: { toString(): string }
      readonly description?: { toString(): string }
      readonly body?: { readonly raw?: string }
    }
    readonly responses: { all(): { readonly code: number }[] }
    /** Its own credential, or that of the folder or collection that it is in. */
    getAuth(): { parameters(): { get(name: string): unknown } } | undefined
  }
  export class Collection {
    constructor(definition: object)
    readonly variables: { get(key: string): unknown }
    forEachItem(visit: (item: Item) => void): void
  }
}
