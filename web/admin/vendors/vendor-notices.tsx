import { useState } from 'react'
import { Link } from 'react-router'
import type { Message, Vendor, VendorNotification } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { SendNoticeDialog } from './send-notice.tsx'

/** The number of newest records that are shown. */
const MAX_SHOWN = 20

const NOTICES: Readonly<Record<VendorNotification['kind'], string>> = {
  advance: 'Notice of work',
  reminder: 'Reminder',
  moved_earlier: 'Work moved earlier',
  postponed: 'Work postponed',
}

/** Lists the notices and messages to a vendor. */
export function VendorNotices({ vendor }: { vendor: Vendor }) {
  const can = useCan()
  return (
    <div className="stack">
      <Notices vendor={vendor} />
      {can('messages:read') && <Messages vendorId={vendor.id} />}
    </div>
  )
}

function Notices({ vendor }: { vendor: Vendor }) {
  const can = useCan()
  const [isSending, setIsSending] = useState(false)
  const { day } = useFormats()
  const notices = useListPage(
    '/api/ext/vendors/{vendorId}/notifications',
    { limit: MAX_SHOWN },
    { place: { vendorId: vendor.id } },
  )
  const rows = notices.data?.data
  const columns: readonly Column<VendorNotification>[] = [
    { head: 'Notice', cell: ({ kind }) => NOTICES[kind] ?? kind },
    { head: 'Date of work', className: 'nowrap', cell: ({ date }) => day(date) },
    {
      head: 'Home',
      cell: ({ homeId }) => (homeId === null ? <EmptyCell /> : <RecordName of="home" id={homeId} />),
    },
    {
      head: 'Sent to',
      cell: ({ recipients }) => (recipients.length === 0 ? <EmptyCell word="portal only" /> : recipients.join(', ')),
    },
    {
      head: 'Sent',
      className: 'nowrap',
      cell: ({ createdAt, createdBy }) => (
        <>
          <TimeText at={createdAt} />
          <span className="sub">
            by <ActorName of={createdBy} />
          </span>
        </>
      ),
    },
  ]
  return (
    <Panel
      title="Notices"
      isFlush
      actions={
        can('tasks:write') &&
        vendor.archivedAt === null && (
          <Button small onClick={() => setIsSending(true)}>
            Send notice
          </Button>
        )
      }
    >
      {isSending && <SendNoticeDialog vendor={vendor} onClose={() => setIsSending(false)} />}
      {notices.error !== null ? (
        <LoadError what="The notices" error={notices.error} onRetry={() => void notices.refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState icon="send" title="No notices yet">
          The vendor is notified before its work starts, and when its dates move.
        </EmptyState>
      ) : (
        <div className="table-wrap">
          <Table caption="Notices" columns={columns} rows={rows} keyOf={({ id }) => id} expected={3} />
        </div>
      )}
    </Panel>
  )
}

function Messages({ vendorId }: { vendorId: string }) {
  const can = useCan()
  const messages = useListPage('/api/ext/messages', { recipientId: vendorId, limit: MAX_SHOWN, sort: '-createdAt' })
  const rows = messages.data?.data
  const columns: readonly Column<Message>[] = [
    {
      head: 'Message',
      cell: ({ id, subject, body }) => (
        <>
          <Link className="lead" to={`/messages/${id}`}>
            {subject ?? 'Message without a subject'}
          </Link>
          <span className="sub clip">{body}</span>
        </>
      ),
    },
    { head: 'From', cell: ({ sender }) => <ActorName of={sender} /> },
    { head: 'Sent', className: 'nowrap', cell: ({ sentAt, createdAt }) => <TimeText at={sentAt ?? createdAt} /> },
  ]
  return (
    <Panel
      title="Messages"
      isFlush
      actions={
        can('messages:write') && (
          <Link className="btn small" to={`/messages/new?about=vendor&id=${vendorId}`}>
            New message
          </Link>
        )
      }
    >
      {messages.error !== null ? (
        <LoadError what="The messages" error={messages.error} onRetry={() => void messages.refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState icon="mail" title="No messages yet" />
      ) : (
        <div className="table-wrap">
          <Table caption="Messages" columns={columns} rows={rows} keyOf={({ id }) => id} expected={3} />
        </div>
      )}
    </Panel>
  )
}
