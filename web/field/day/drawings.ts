import type { Attachment, Drawing } from '../../../client/contract.gen.ts'
import { type KeptDrawing, openFieldDatabase } from '../outbox/database.ts'
import { root } from './root.ts'

const MAX_DRAWINGS = 200

/** Returns the home's drawings with their current revisions; null if there is no connection. */
export async function readDrawings(homeId: string, signal: AbortSignal): Promise<Drawing[] | null> {
  try {
    const response = await fetch(`${root}/api/ext/homes/${homeId}/drawings?limit=${MAX_DRAWINGS}`, { signal })
    if (!response.ok) return null
    const { data } = (await response.json()) as { data: Drawing[] }
    return data.filter(({ currentRevision }) => currentRevision !== null)
  } catch {
    return null
  }
}

/** Returns the home's drawings that are stored on the phone, sorted by sheet number. */
export async function listKeptDrawings(homeId: string): Promise<KeptDrawing[]> {
  const db = await openFieldDatabase()
  const kept = await db.getAll('drawings', IDBKeyRange.bound([homeId], [homeId, []]))
  db.close()
  return kept.sort((a, b) => a.sheetNumber.localeCompare(b.sheetNumber))
}

/** Returns a drawing of the home that is stored on the phone. */
export async function findKeptDrawing(homeId: string, drawingId: string): Promise<KeptDrawing | undefined> {
  const db = await openFieldDatabase()
  const kept = await db.get('drawings', [homeId, drawingId])
  db.close()
  return kept
}

/** Stores the current revision of a drawing on the phone. Returns false if the file could not be read. */
export async function keepDrawing(homeId: string, drawing: Drawing): Promise<boolean> {
  const current = drawing.revisions.find(({ revision }) => revision === drawing.currentRevision)
  if (current === undefined) return false
  const path = `${root}/api/ext/attachments/${current.attachmentId}`
  try {
    const [file, content] = await Promise.all([fetch(path), fetch(`${path}/content`)])
    if (!file.ok || !content.ok) return false
    const { contentType } = (await file.json()) as Attachment
    const bytes = await content.arrayBuffer()
    const { id: drawingId, sheetNumber, title } = drawing
    const { revision, label } = current
    const db = await openFieldDatabase()
    await db.put('drawings', { homeId, drawingId, sheetNumber, title, revision, label, contentType, bytes })
    db.close()
  } catch {
    return false
  }
  // Requests persistent storage. Otherwise, browsers delete the data of pages that are rarely opened.
  void navigator.storage?.persist?.()
  return true
}

export async function removeKeptDrawing({ homeId, drawingId }: KeptDrawing): Promise<void> {
  const db = await openFieldDatabase()
  await db.delete('drawings', [homeId, drawingId])
  db.close()
}
