import { isPartStandalone } from '../../../platform/values/placeholders.ts'

/**
 * Returns the encryption context of an email's link. The link is encrypted, because its holder acts for the vendor. The
 * link is removed once the email is finished.
 */
export function getLinkEncryptionContext(organizationId: string, mailId: string): string {
  return `mail link ${organizationId} ${mailId}`
}

/** The pages below a portal link that emails can link to, by the name of their placeholder. */
const LINK_PATHS = { portalUrl: '', willBidUrl: '/will-bid', passUrl: '/pass' } as const

/** Placeholder for the link in an email's text until the email is sent. */
export const LINK_PLACEHOLDER = '{{portalUrl}}'

/** Returns the values of the placeholders that contain the portal link; all null without a link. */
export function toLinkValues(link: string | null): Record<keyof typeof LINK_PATHS, string | null> {
  const value = (name: keyof typeof LINK_PATHS) => (link === null ? null : `{{${name}}}`)
  return { portalUrl: value('portalUrl'), willBidUrl: value('willBidUrl'), passUrl: value('passUrl') }
}

/**
 * Returns the text of an email with its link. Replaces only standalone placeholders. Removes other placeholders.
 * Otherwise, the link would become part of another URL, such as `https://evil.example/?u={{portalUrl}}`, and one click
 * would reveal the link. Such placeholders come from the values of a message, or from a template saved before such
 * placeholders were rejected.
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
