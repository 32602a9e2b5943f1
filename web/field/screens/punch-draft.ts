import type { Photo } from '../day/actions.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { openScreen } from '../parts/route.ts'

/**
 * Punch item that is being created: its photo and the room of the previous item, because users inspect one room at a
 * time.
 */
export const punchDraft: { photo: Photo | null; room: string | null } = { photo: null, room: null }

/**
 * Opens the screen for a new punch item with the photo, or without one if the file is null. The item may belong to an
 * open walkthrough.
 */
export async function startPunchItem(homeId: string, file: File | null, walkthroughId?: string): Promise<void> {
  punchDraft.photo = file === null ? null : await preparePhoto(file)
  openScreen('punch', homeId, ...(walkthroughId === undefined ? [] : [walkthroughId]))
}
