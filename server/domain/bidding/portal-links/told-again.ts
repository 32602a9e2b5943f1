import type { Repeat } from '../../../platform/calls/repeat.ts'

/** A copied link is not stored, so a repeated response omits it. The client can copy another link. */
export const linkToldAgain: Repeat = {
  conceal(body) {
    return { ...body, portalUrl: null }
  },

  async reveal(body) {
    return body
  },
}
