import { standsAlone } from '../../../platform/values/placeholders.ts'

/**
 * The context that the link of a mail is sealed for. A link is sealed because whoever has it acts for the vendor, and it
 * is removed when the mail has ended.
 */
export function placeOfLink(organizationId: string, mailId: string): string {
  return `mail link ${organizationId} ${mailId}`
}

/** Placeholder for the link in a mail's text until the mail is sent. */
export const LINK = '{{portalUrl}}'

/**
 * The text of a mail with its link. The link replaces only placeholders that stand alone; others are removed, because the
 * link would become part of another address, such as `https://evil.example/?u={{portalUrl}}`, and one click would tell it to
 * a stranger. They come from the values of a message, or from a template that was saved before this was refused.
 */
export function withLink(text: string, link: string): string {
  return text.replaceAll(LINK, (_, index: number) => (standsAlone(text, index, LINK.length) ? link : ''))
}
