/**
 * The text of a JSON document that was assembled from parts that are already JSON, such as the rows of a list. It takes
 * the place of the value, and saves building that only to serialize it again.
 */
export class Json<T> {
  readonly text: string
  /** The cursor of the next page, if the document is a page and has one. */
  readonly nextCursor: string | null
  /** Only for the compiler: a Json of one type is not assignable to another. */
  declare readonly valueType: T

  constructor(text: string, nextCursor: string | null = null) {
    this.text = text
    this.nextCursor = nextCursor
  }

  get value(): T {
    return JSON.parse(this.text) as T
  }
}
