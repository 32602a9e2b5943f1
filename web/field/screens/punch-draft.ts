import type { Photo } from '../day/actions.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { openScreen } from '../parts/route.ts'

/**
 * The punch item that the user is creating. It has its photo and the room of the previous item, because users inspect
 * one room at a time.
 */
export const punchDraft: { photo: Photo | null; room: string | null } = { photo: null, room: null }

/** Opens the screen for a new punch item, with a photo unless the file is null. */
export async function startPunchItem(homeId: string, file: File | null, walkthroughId?: string): Promise<void> {
  punchDraft.photo = file === null ? null : await preparePhoto(file)
  openScreen('punch', homeId, ...(walkthroughId === undefined ? [] : [walkthroughId]))
}
