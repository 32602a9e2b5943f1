import type { Repeat } from '../../../platform/calls/repeat.ts'

/** A copied link is stored nowhere, so a repeated response leaves it out; another copy is another link. */
export const linkToldAgain: Repeat = {
  conceal(body) {
    return { ...body, portalUrl: null }
  },

  async reveal(body) {
    return body
  },
}
