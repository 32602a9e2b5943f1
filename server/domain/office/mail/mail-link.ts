import { isPartAlone } from '../../../platform/values/placeholders.ts'

/**
 * Returns the encryption context of a mail's link. The link is encrypted because its holder acts for the vendor, and is
 * removed once the mail is finished.
 */
export function linkSealContext(organizationId: string, mailId: string): string {
  return `mail link ${organizationId} ${mailId}`
}

/** Placeholder for the link in a mail's text until the mail is sent. */
export const LINK_PLACEHOLDER = '{{portalUrl}}'

/**
 * Returns the text of a mail with its link. Only standalone placeholders are replaced. Others are removed, because the
 * link would become part of another URL, such as `https://evil.example/?u={{portalUrl}}`, and one click would reveal
 * it. Such placeholders come from the values of a message, or from a template saved before they were rejected.
 */
export function insertLink(text: string, link: string): string {
  return text.replaceAll(LINK_PLACEHOLDER, (_, index: number) =>
    isPartAlone(text, index, LINK_PLACEHOLDER.length) ? link : '',
  )
}
