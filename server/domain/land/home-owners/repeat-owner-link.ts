import type { RepeatRules } from '../../../platform/calls/repeated-response.ts'

/** The service does not store a copied link, so a repeated response omits it. The client can copy a new link. */
export const repeatOwnerLink: RepeatRules = {
  conceal(body) {
    return { ...body, ownerUrl: null }
  },

  async reveal(body) {
    return body
  },
}
