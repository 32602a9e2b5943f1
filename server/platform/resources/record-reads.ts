import { toUUID } from 'typeid-js'

/**
 * Records which versions of which records a call reads, and which names it resolves to which IDs. Every read of a
 * resource adds its records while a call is watched (`Call.reads`), so that a proposal can be compared with the records
 * it was based on. Records that the call creates are left out.
 */
export class RecordReads {
  /** By ID, as of the first read: later reads see what the call changed itself. */
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

  /** Records that a text named a record of this kind. */
  noteName(kind: string, text: string, id: string): void {
    this.#names.set(`${kind} ${text}`, id)
  }

  /** Returns the ID of the record of this kind that the text named; undefined if none. */
  namedBy(kind: string, text: string): string | undefined {
    return this.#names.get(`${kind} ${text}`)
  }
}

/** Returns the time at which an ID was created, which is part of the ID, by the machine's clock. */
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
