import { LinkTabs } from '../../ui/link-tabs.tsx'

const MESSAGE_LINKS = [
  { to: '/messages', word: 'Messages' },
  { to: '/messages/emails', word: 'Emails' },
  { to: '/messages/templates', word: 'Templates' },
] as const

/** Tabs for messages, the emails that were sent, and the texts of the emails. */
export function MessagesTabs() {
  return <LinkTabs label="Messages" places={MESSAGE_LINKS} />
}
