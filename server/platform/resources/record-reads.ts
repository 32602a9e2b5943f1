import { toUUID } from 'typeid-js'

/**
 * Collects the versions of the records that a call reads, and the names that it resolves to IDs. While `Call.reads` is
 * set, every read of a resource adds its records to this object. A proposal can then be compared with the records on
 * which it is based. Records that the call itself has created are not included.
 */
export class RecordReads {
  /** The version of each record at its first read, by ID. Later reads may already see changes of the call itself. */
  readonly versions = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #startedAt = Date.now()

  note({ id, version }: { readonly id?: unknown; readonly version?: unknown }): void {
    if (typeof id !== 'string' || typeof version !== 'number') return
    if (!this.versions.has(id) && idCreatedAt(id) < this.#startedAt) this.versions.set(id, version)
  }

  noteAll(rows: readonly object[]): void {
    for (const row of rows) this.note(row)
  }

  /** Records that a text was resolved to a record of this type. */
  noteName(kind: string, text: string, id: string): void {
    this.#names.set(`${kind} ${text}`, id)
  }

  /** Returns the ID of the record of this type to which the text was resolved; undefined if there is none. */
  namedBy(kind: string, text: string): string | undefined {
    return this.#names.get(`${kind} ${text}`)
  }
}

/**
 * Returns the time at which an ID was created, which is part of the ID. The time is from the clock of the machine that
 * created the ID.
 */
function idCreatedAt(id: string): number {
  try {
    return Number.parseInt(
      toUUID(id as Parameters<typeof toUUID>[0])
        .replaceAll('-', '')
        .slice(0, 12),
      16,
    )
  } catch {
    return 0
  }
}
