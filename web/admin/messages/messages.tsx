import { Link } from 'react-router'
import type { Message } from '../../../client/contract.gen.ts'
import { useCan, useSession } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Status } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { AboutRecord } from './about-record.tsx'
import { MessagesTabs } from './messages-tabs.tsx'

/** Lists the messages with vendors, home owners, and users. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const { user } = useSession()
  const columns = useColumns(user.id)
  const compose = can('messages:write') && (
    <Link className="btn primary" to="/messages/new">
      New message
    </Link>
  )
  return (
    <Page title="Messages" crumbs={[{ name: 'Messages' }]} actions={compose}>
      <div className="page-head">
        <h1>Messages</h1>
        <p>Messages with vendors, home owners, and colleagues.</p>
      </div>
      <MessagesTabs />
      <ViewTabs
        label="Mailbox"
        name="unreadBy"
        views={[
          { value: undefined, word: 'All messages' },
          { value: user.id, word: 'Unread by you' },
        ]}
      />
      <Listing
        path="/api/ext/messages"
        nouns={['message', 'messages']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        tabs={TABS}
        filters={[{ name: 'recipientId', label: 'Recipient', options: [{ value: user.id, label: 'You' }] }]}
        empty={
          <EmptyState icon="mail" title="No messages yet" actions={compose}>
            Write to a vendor. The vendor reads the message in the portal or as an email.
          </EmptyState>
        }
      />
    </Page>
  )
}

const TABS = ['unreadBy']

/** The longest beginning of a text that fits a row. */
const MAX_PREVIEW = 60

function useColumns(userId: string): readonly Column<Message>[] {
  return [
    {
      head: 'Message',
      className: 'long',
      cell: ({ id, subject, body, recipients }) => {
        const isUnread = recipients.some((one) => one.id === userId && one.readAt === null)
        return (
          <>
            <Link className="lead" to={`/messages/${id}`}>
              {subject ?? 'Message without a subject'}
            </Link>
            <span className="sub">
              {isUnread && <strong>Unread. </strong>}
              {body.length > MAX_PREVIEW ? `${body.slice(0, MAX_PREVIEW)}…` : body}
            </span>
          </>
        )
      },
      csv: ({ subject }) => subject,
    },
    { head: 'From', cell: ({ sender }) => <ActorName of={sender} />, csv: ({ sender }) => sender.id },
    { head: 'To', cell: ({ recipients }) => <Recipients of={recipients} /> },
    { head: 'About', cell: ({ relatedTo }) => <AboutRecord of={relatedTo} /> },
    {
      head: 'Status',
      cell: ({ recipients, status }) => <Status of="message" is={findWorstStatus(recipients) ?? status} />,
    },
    {
      head: 'Sent',
      className: 'nowrap',
      cell: ({ sentAt, createdAt }) => <TimeText at={sentAt ?? createdAt} />,
      csv: ({ sentAt, createdAt }) => sentAt ?? createdAt,
    },
    { head: 'Text', isOnlyExported: true, cell: ({ body }) => body, csv: ({ body }) => body },
  ]
}

/** Returns the delivery status that needs attention most: one failed recipient is a failed message. */
function findWorstStatus(recipients: Message['recipients']) {
  return (['failed', 'queued', 'sent', 'delivered'] as const).find((status) =>
    recipients.some(({ deliveryStatus }) => deliveryStatus === status),
  )
}

function Recipients({ of }: { of: Message['recipients'] }) {
  const [first] = of
  if (first === undefined) return null
  return (
    <>
      <RecipientName of={first} />
      {of.length > 1 && <span className="sub">and {formatCount(of.length - 1, 'other')}</span>}
    </>
  )
}

export function RecipientName({ of: { type, id } }: { of: Pick<Message['recipients'][number], 'type' | 'id'> }) {
  return <RecordName of={type === 'vendor' ? 'vendor' : type === 'home_owner' ? 'homeOwner' : 'user'} id={id} />
}
