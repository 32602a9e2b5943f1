import { toUUID } from 'typeid-js'

/**
 * Notes which records a call reads, in which version, and which names it takes for which ids. Every read of a resource
 * notes its records here while a call is watched (`Call.reads`), so a proposal can be compared with what it was shown
 * with. Records that the call creates are left out.
 */
export class RecordReads {
  /** By id, as of the first read: later ones see what the call changed itself. */
  readonly versions = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #startedAt = Date.now()

  note({ id, version }: { readonly id?: unknown; readonly version?: unknown }): void {
    if (typeof id !== 'string' || typeof version !== 'number') return
    if (!this.versions.has(id) && madeAt(id) < this.#startedAt) this.versions.set(id, version)
  }

  noteAll(rows: readonly object[]): void {
    for (const row of rows) this.note(row)
  }

  /** Notes that a text named a record of this kind. */
  noteName(kind: string, text: string, id: string): void {
    this.#names.set(`${kind} ${text}`, id)
  }

  /** The record of this kind that the text named, if it named one. */
  namedBy(kind: string, text: string): string | undefined {
    return this.#names.get(`${kind} ${text}`)
  }
}

/** When an id was made, which it says itself, by the clock of the machine. */
function madeAt(id: string): number {
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
