import { useState } from 'react'
import { Link } from 'react-router'
import type { BidRequest, Invitation } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CopyLink } from '../vendors/copy-link.tsx'
import { RecordBid } from './record-bid.tsx'

/** Lists the invited vendors, their progress, and their links. */
export function Invitations({ request }: { request: BidRequest }) {
  const can = useCan()
  const vendors = useRecords('/api/ext/vendors', request.vendorIds)
  const nameOf = (id: string) => vendors.get(id)?.companyName ?? '…'
  const [recording, setRecording] = useState<Invitation | null>(null)
  const [copying, setCopying] = useState<Invitation | null>(null)
  const resend = plumbline.useMutation('post', '/api/ext/invitations/{invitationId}/resend', {
    onSuccess: ({ vendorId }) => showToast(`New link sent to ${nameOf(vendorId)}. The old link no longer works.`),
  })
  const isOpen = request.status === 'sent' || (request.status === 'closed' && request.acceptLate)
  const mayWrite = can('bids:write')
  // While a blind request is open, nobody who works for the builder may open the vendors' pages.
  const mayCopy = can('portal_links:read') && !(request.blind && request.status === 'sent')

  const columns: readonly Column<Invitation>[] = [
    {
      head: 'Vendor',
      className: 'long',
      cell: ({ vendorId }) => (
        <Link className="lead clip" to={`/vendors/${vendorId}`} title={nameOf(vendorId)}>
          {nameOf(vendorId)}
        </Link>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="invitation" is={status} /> },
    { head: 'Sent', cell: ({ sentAt }) => (sentAt === null ? <EmptyCell word="not yet" /> : <TimeText at={sentAt} />) },
    {
      head: 'Opened',
      cell: ({ viewedAt }) => (viewedAt === null ? <EmptyCell word="not yet" /> : <TimeText at={viewedAt} />),
    },
    {
      head: 'Answered',
      cell: ({ respondedAt, declineReason }) => (
        <>
          {respondedAt === null ? <EmptyCell word="not yet" /> : <TimeText at={respondedAt} />}
          {declineReason !== null && <span className="sub">“{declineReason}”</span>}
        </>
      ),
    },
    { head: 'Reminders', numeric: true, cell: ({ remindersSent }) => remindersSent },
    ...(mayWrite && request.status !== 'cancelled'
      ? [
          {
            head: 'Link',
            className: 'full',
            cell: (invitation: Invitation) => (
              <span className="row wrap">
                {mayCopy && invitation.sentAt !== null && (
                  <Button small icon="copy" onClick={() => setCopying(invitation)}>
                    Copy link…
                  </Button>
                )}
                {isOpen && ['sent', 'viewed', 'will_bid', 'no_response'].includes(invitation.status) && (
                  <Button small look="quiet" onClick={() => setRecording(invitation)}>
                    Record bid
                  </Button>
                )}
                {invitation.sentAt !== null && isOpen && (
                  <Button
                    small
                    look="quiet"
                    title="Emails the vendor a new link. The old link stops working."
                    onClick={() => resend.mutate({ params: { path: { invitationId: invitation.id } } })}
                  >
                    Resend link
                  </Button>
                )}
              </span>
            ),
          },
        ]
      : []),
  ]
  return (
    <Panel title="Invitations" hint="anyone with a link can act for the vendor" isFlush>
      <ChangeError error={resend.error} />
      {request.invitations.length === 0 ? (
        <EmptyState icon="vendors" title="No vendors invited yet">
          Add vendors to the draft, then send the request.
        </EmptyState>
      ) : (
        <div className="table-wrap">
          <Table caption="Invitations" columns={columns} rows={request.invitations} keyOf={({ id }) => id} />
        </div>
      )}
      {copying !== null && (
        <CopyLink
          vendor={nameOf(copying.vendorId)}
          of={{ invitationId: copying.id }}
          onClose={() => setCopying(null)}
        />
      )}
      {recording !== null && (
        <RecordBid
          request={request}
          vendorId={recording.vendorId}
          vendor={nameOf(recording.vendorId)}
          onClose={() => setRecording(null)}
        />
      )}
    </Panel>
  )
}
