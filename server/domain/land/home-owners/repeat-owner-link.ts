import type { RepeatRules } from '../../../platform/calls/repeated-response.ts'

/** A copied link is not stored, so a repeated response omits it. The client can copy another link. */
export const repeatOwnerLink: RepeatRules = {
  conceal(body) {
    return { ...body, ownerUrl: null }
  },

  async reveal(body) {
    return body
  },
}
