import type { Mail, MailKind } from '../../../client/contract.gen.ts'
import { Badge } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Look } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { MessagesTabs } from './messages-tabs.tsx'

const STATUSES = {
  queued: { word: 'Waiting', tone: 'calm', shape: 'clock' },
  sent: { word: 'Sent', tone: 'ok', shape: 'check' },
  failed: { word: 'Not delivered', tone: 'bad', shape: 'x' },
} satisfies Record<Mail['status'], Look>

const KINDS: Readonly<Record<MailKind, string>> = {
  message: 'Message',
  portal_invitation: 'Invitation to the portal',
  bid_invitation: 'Invitation to bid',
  bid_reminder: 'Bid reminder',
  bid_draft: 'Response to an emailed bid',
  bid_receipt: 'Bid receipt',
  lien_waiver: 'Lien waiver',
  advance: 'Notice of work',
  reminder: 'Reminder of work',
  moved_earlier: 'Work moved earlier',
  postponed: 'Work postponed',
  sign_in: 'Sign-in link',
  user_invitation: 'User invitation',
  portal_links: 'Portal links',
  owner_invitation: 'Owner’s page',
  owner_notice: 'Notice to a home owner',
  report: 'Report',
}

/** Lists the emails that were sent, and the emails that could not be delivered. */
export function Component() {
  const columns = useColumns()
  return (
    <Page title="Emails" crumbs={[{ name: 'Messages', to: '/messages' }, { name: 'Emails' }]}>
      <div className="page-head">
        <h1>Emails</h1>
        <p>Emails of the last 30 days, and the answers of the mail servers.</p>
      </div>
      <MessagesTabs />
      <ViewTabs
        label="Status"
        name="status"
        views={[
          { value: undefined, word: 'All emails' },
          { value: 'failed', word: 'Not delivered' },
          { value: 'queued', word: 'Waiting' },
          { value: 'sent', word: 'Sent' },
        ]}
      />
      <Listing
        path="/api/ext/mails"
        nouns={['email', 'emails']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        tabs={TABS}
        empty={
          <EmptyState icon="mail" title="No emails yet">
            Emails appear here if the operator has configured a mail server.
          </EmptyState>
        }
      />
    </Page>
  )
}

const TABS = ['status']

function useColumns(): readonly Column<Mail>[] {
  const { time } = useFormats()
  return [
    {
      head: 'Email',
      className: 'long',
      cell: ({ subject, kind }) => (
        <>
          <span className="lead">{subject}</span>
          <span className="sub">{KINDS[kind] ?? kind}</span>
        </>
      ),
      csv: ({ subject }) => subject,
    },
    {
      head: 'Recipient',
      cell: ({ to, vendorId, userId }) => (
        <>
          {vendorId !== null ? (
            <RecordName of="vendor" id={vendorId} />
          ) : userId !== null ? (
            <RecordName of="user" id={userId} />
          ) : (
            <EmptyCell word="other" />
          )}
          <span className="sub">{to}</span>
        </>
      ),
      csv: ({ to }) => to,
    },
    {
      head: 'Status',
      cell: ({ status, attempts, lastError, nextAttemptAt }) => (
        <>
          <Badge look={STATUSES[status]} />
          {lastError !== null && <span className="sub">{lastError}</span>}
          {status !== 'sent' && attempts > 0 && (
            <span className="sub">
              {formatCount(attempts, 'attempt')}
              {nextAttemptAt !== null && `, next ${time(nextAttemptAt)}`}
            </span>
          )}
        </>
      ),
      csv: ({ status }) => status,
    },
    { head: 'Error', isOnlyExported: true, cell: ({ lastError }) => lastError, csv: ({ lastError }) => lastError },
    {
      head: 'Sent',
      className: 'nowrap',
      cell: ({ sentAt }) => (sentAt === null ? <EmptyCell word="not sent" /> : <TimeText at={sentAt} />),
      csv: ({ sentAt }) => sentAt,
    },
    {
      head: 'Created',
      sort: 'createdAt',
      className: 'nowrap',
      isWideOnly: true,
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
  ]
}
