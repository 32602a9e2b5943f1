/**
 * The text of a JSON document that is assembled from parts that are already JSON, such as the rows of a list. The text
 * replaces a value that would otherwise be built only to be serialized again.
 */
export class Json<T> {
  readonly text: string
  /** The cursor of the next page; null if the document is not a page or is the last page. */
  readonly nextCursor: string | null
  /** This field is only for the compiler, so that a Json of one type is not assignable to a Json of another type. */
  declare readonly valueType: T

  constructor(text: string, nextCursor: string | null = null) {
    this.text = text
    this.nextCursor = nextCursor
  }

  get value(): T {
    return JSON.parse(this.text) as T
  }
}
