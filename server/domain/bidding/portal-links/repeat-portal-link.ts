import type { RepeatRules } from '../../../platform/calls/repeated-response.ts'

/** A copied link is not stored, so a repeated response omits it. The client can copy another link. */
export const repeatPortalLink: RepeatRules = {
  conceal(body) {
    return { ...body, portalUrl: null }
  },

  async reveal(body) {
    return body
  },
}
