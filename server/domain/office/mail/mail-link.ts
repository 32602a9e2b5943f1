import { isPartStandalone } from '../../../platform/values/placeholders.ts'

/**
 * Returns the encryption context of the link in an email. The link is encrypted, because its holder can act for the
 * vendor. The link is removed when the email is no longer queued.
 */
export function getLinkEncryptionContext(organizationId: string, mailId: string): string {
  return `mail link ${organizationId} ${mailId}`
}

/**
 * The pages of the portal to which emails can link, relative to the portal link. The keys are the names of the
 * placeholders.
 */
const LINK_PATHS = { portalUrl: '', willBidUrl: '/will-bid', passUrl: '/pass' } as const

/** The placeholder for the link in the text of an email. The link replaces the placeholder when the email is sent. */
export const LINK_PLACEHOLDER = '{{portalUrl}}'

/** Returns the values of the placeholders that contain the portal link. Without a link, all values are null. */
export function toLinkValues(link: string | null): Record<keyof typeof LINK_PATHS, string | null> {
  const value = (name: keyof typeof LINK_PATHS) => (link === null ? null : `{{${name}}}`)
  return { portalUrl: value('portalUrl'), willBidUrl: value('willBidUrl'), passUrl: value('passUrl') }
}

/**
 * Returns the text of an email with its link. Replaces only standalone placeholders, and removes all others. Otherwise,
 * the link would become part of another URL, such as `https://evil.example/?u={{portalUrl}}`, and a click would reveal
 * the link. Such placeholders come from values in a message, or from a template that was saved before they were
 * rejected.
 */
export function insertLink(text: string, link: string): string {
  return Object.entries(LINK_PATHS).reduce(
    (filled, [name, path]) =>
      filled.replaceAll(`{{${name}}}`, (placeholder, index: number) =>
        isPartStandalone(filled, index, placeholder.length) ? link + path : '',
      ),
    text,
  )
}
