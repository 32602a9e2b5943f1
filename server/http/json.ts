/**
 * The text of a JSON document that was put together from parts that are JSON already, such as the rows of a list. It
 * stands where its value would, and saves making the value only to write it out again.
 */
export class Json<T> {
  readonly text: string
  /** The cursor of the next page, where the document is a page and has one. */
  readonly nextCursor: string | null
  /** Only for the compiler: a Json of one type cannot stand in for another. */
  declare readonly valueType: T

  constructor(text: string, nextCursor: string | null = null) {
    this.text = text
    this.nextCursor = nextCursor
  }

  get value(): T {
    return JSON.parse(this.text) as T
  }
}
