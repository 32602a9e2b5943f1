/**
 * The text of a JSON document that consists of parts that are already JSON, such as the rows of a list. This class
 * avoids creating objects only to serialize them again.
 */
export class Json<T> {
  readonly text: string
  /** The cursor of the next page; null if the document is not a page, or if there is no next page. */
  readonly nextCursor: string | null
  /** Never set. Prevents the compiler from accepting the Json of one type for another type. */
  declare readonly valueType: T

  constructor(text: string, nextCursor: string | null = null) {
    this.text = text
    this.nextCursor = nextCursor
  }

  get value(): T {
    return JSON.parse(this.text) as T
  }
}
