/** The part of Postman's own reader of collections that the tests use. The package has no types. */
declare module 'postman-collection' {
  export interface Item {
    readonly request: {
      readonly method: string
      readonly url: { toString(): string }
      readonly description?: { toString(): string }
      readonly body?: { readonly raw?: string }
    }
    readonly responses: { all(): { readonly code: number }[] }
    /** The credential of the request itself, or of the folder or collection that contains the request. */
    getAuth(): { parameters(): { get(name: string): unknown } } | undefined
  }
  export class Collection {
    constructor(definition: object)
    readonly variables: { get(key: string): unknown }
    forEachItem(visit: (item: Item) => void): void
  }
}
