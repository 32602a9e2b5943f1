import { toUUID } from 'typeid-js'

/**
 * Records the versions of the records that a call reads, and the names that the call resolves to IDs. While
 * `Call.reads` is set, each read of a resource adds the records that it returns to this object. A proposal can then be
 * compared with the records on which it was based. Records that the call itself creates are not included.
 */
export class RecordReads {
  /** Versions by record ID, at the time of the first read. Later reads also see the call's own changes. */
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

  /** Notes that a text identified a record of this type. */
  noteName(kind: string, text: string, id: string): void {
    this.#names.set(`${kind} ${text}`, id)
  }

  /** Returns the ID of the record of this type that the text identified; undefined if there is no such record. */
  namedBy(kind: string, text: string): string | undefined {
    return this.#names.get(`${kind} ${text}`)
  }
}

/**
 * Returns the time at which an ID was created, by the clock of the machine that created it. The time is part of the ID.
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
