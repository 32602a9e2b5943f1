/**
 * The context that the link of a mail is sealed for. A link is sealed because whoever has it acts for the vendor, and it
 * is removed when the mail has ended.
 */
export function placeOfLink(organizationId: string, mailId: string): string {
  return `mail link ${organizationId} ${mailId}`
}

/** What stands for the link in a mail's text until the mail is sent. */
export const LINK = '{{portalUrl}}'
