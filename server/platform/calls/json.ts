/**
 * The text of a JSON document assembled from parts that are already JSON, such as the rows of a list. It replaces the
 * value, which need not be built only to be serialized again.
 */
export class Json<T> {
  readonly text: string
  /** Cursor of the next page, if the document is a page and has one. */
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
