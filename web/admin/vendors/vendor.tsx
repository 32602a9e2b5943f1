import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { useParams } from 'react-router'
import type { Vendor, VendorStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { useRecords } from '../../api/use-records.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatPercent } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { Tabs, useOpenTab } from '../../ui/tabs.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { ComplianceDocuments } from './compliance-documents.tsx'
import { CopyLink } from './copy-link.tsx'
import { InviteToPortal } from './invite-to-portal.tsx'
import { SendNoticeDialog } from './send-notice.tsx'
import { VendorDetailsForm } from './vendor-details-form.tsx'
import { ArchiveVendorDialog, MergeVendorDialog, RevokePortalDialog } from './vendor-endings.tsx'
import { VendorForm } from './vendor-form.tsx'
import { VendorBids, VendorContracts, VendorOrders } from './vendor-lists.tsx'
import { VendorNotices } from './vendor-notices.tsx'

/** Shows one vendor: its compliance documents, bids, orders, performance, and contacts. */
export function Component() {
  const { vendorId = '' } = useParams()
  useLiveUpdates('at ease')
  const can = useCan()
  const { money } = useFormats()
  const params = { params: { path: { vendorId } } }
  const vendor = plumbline.useQuery('get', '/api/ext/vendors/{vendorId}', params)
  const scorecard = plumbline.useQuery('get', '/api/ext/vendors/{vendorId}/scorecard', params)
  const communities = useRecords('/api/ext/communities', vendor.data?.communityIds ?? [])
  const tab = useOpenTab(['overview', 'notices', 'history'])
  const crumbs = [{ name: 'Vendors', to: '/vendors' }, { name: vendor.data?.companyName ?? '…' }]
  if (vendor.error !== null) {
    return (
      <Page title="Vendor" crumbs={[{ name: 'Vendors', to: '/vendors' }, { name: 'Vendor' }]}>
        <LoadError what="The vendor" error={vendor.error} onRetry={() => void vendor.refetch()} />
      </Page>
    )
  }
  const { data } = vendor
  const score = scorecard.data
  return (
    <Page
      title={data?.companyName ?? 'Vendor'}
      crumbs={crumbs}
      actions={
        <>
          {data !== undefined && can('vendors:write') && data.archivedAt === null && <VendorActions vendor={data} />}
          <RecordActions field="vendorId" id={vendorId} except={['notifyVendor']} />
        </>
      }
    >
      {data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <TitleBlock
            name={data.companyName}
            state={
              <>
                <Status of="vendor" is={data.status} />
                <Status of="compliance" is={data.complianceStatus} />
                <Status of="portal" is={data.portalStatus} />
              </>
            }
            facts={[
              {
                label: 'Trades',
                value: data.scopes.length === 0 ? 'none' : data.scopes.map(humanizeName).join(', '),
                isWideOnly: true,
              },
              { label: 'Accounting ID', value: data.accountingId ?? 'none', isWideOnly: true },
              {
                label: 'Open orders',
                isFigure: true,
                value: score === undefined ? '…' : money(score.openCommitment),
                note: data.poLimit === null ? 'no limit' : `of a limit of ${money(data.poLimit)}`,
              },
              {
                label: 'Bids awarded',
                isFigure: true,
                value: score === undefined ? '…' : `${score.bids.accepted} of ${score.bids.submitted}`,
              },
              {
                label: 'Responses',
                isFigure: true,
                value: score === undefined ? '…' : `${score.invitations.answered} of ${score.invitations.sent}`,
                note:
                  score !== undefined && score.invitations.unanswered > 0
                    ? `${score.invitations.unanswered} without a response`
                    : undefined,
              },
              {
                label: 'Communities',
                value:
                  data.communityIds.length === 0
                    ? 'All'
                    : data.communityIds.map((id) => communities.get(id)?.name ?? '…').join(', '),
                isWideOnly: true,
              },
            ]}
          />
          <Tabs
            label="Vendor"
            open={tab}
            tabs={[
              { name: 'overview', word: 'Overview' },
              { name: 'notices', word: 'Notices and messages' },
              { name: 'history', word: 'History' },
            ]}
          />
          {tab === 'overview' ? (
            <div className="cols">
              <div className="stack">
                <ComplianceDocuments vendorId={vendorId} />
                <VendorOrders vendorId={vendorId} />
                <VendorContracts vendorId={vendorId} />
                <VendorBids vendorId={vendorId} />
              </div>
              <aside className="stack" aria-label="Details">
                <Panel title="Scorecard" hint="all time">
                  {scorecard.error !== null ? (
                    <p className="muted">The scorecard could not be loaded.</p>
                  ) : score === undefined ? (
                    <SkeletonLines />
                  ) : (
                    <div className="stack">
                      <div className="score">
                        <b>{score.score === null ? '–' : Math.round(score.score)}</b>
                        <span className="small muted">
                          {score.score === null
                            ? 'no data yet'
                            : `of 100, from ${formatCount(score.invitations.sent, 'request')} and ${formatCount(score.orders.count, 'order')}`}
                        </span>
                      </div>
                      <KeyValues
                        facts={[
                          [
                            'Answered',
                            score.invitations.answeredPercent === null
                              ? 'no requests yet'
                              : formatPercent(score.invitations.answeredPercent),
                          ],
                          [
                            'Bids awarded',
                            score.bids.winPercent === null ? 'no decisions yet' : formatPercent(score.bids.winPercent),
                          ],
                          [
                            'Average difference between order and bid',
                            score.orders.averageVariancePercent === null
                              ? 'no orders yet'
                              : formatPercent(score.orders.averageVariancePercent),
                          ],
                          ['Payable', money(score.payable)],
                        ]}
                      />
                    </div>
                  )}
                </Panel>
                <ContactDetails vendor={data} />
              </aside>
            </div>
          ) : tab === 'notices' ? (
            <VendorNotices vendor={data} />
          ) : (
            <Panel title="History">
              <RecordHistory of={vendorId} />
            </Panel>
          )}
        </>
      )}
    </Page>
  )
}

function ContactDetails({ vendor }: { vendor: Vendor }) {
  const { email, phone, contactName, address, paymentTerms, contacts } = vendor
  const lines =
    address === null ? [] : [address.line1, address.line2, `${address.city}, ${address.state} ${address.postalCode}`]
  return (
    <Panel title="Contact">
      <KeyValues
        facts={[
          ['Contact name', contactName ?? 'not known'],
          [
            'Phone',
            phone === null ? (
              'not known'
            ) : (
              <a key="phone" href={`tel:${phone.replaceAll(' ', '')}`}>
                {phone}
              </a>
            ),
          ],
          [
            'Email',
            email === null ? (
              'not known'
            ) : (
              <a key="mail" href={`mailto:${email}`}>
                {email}
              </a>
            ),
          ],
          ...(lines.length === 0
            ? []
            : [['Address', lines.filter((line) => line !== null && line !== '').join(', ')] as const]),
          ...contacts.map(({ name, phone, email }) => [name, phone ?? email ?? 'no contact details'] as const),
          ['Retainage', formatPercent(vendor.defaultRetainagePercent)],
          ['Payment terms', paymentTerms === null ? 'not agreed' : `Net ${paymentTerms.netDays}`],
          ['License', vendor.licenseNumber ?? 'not known'],
          ['Tax ID', vendor.taxIdLast4 === null ? 'not known' : `ends with ${vendor.taxIdLast4}`],
          ['Form 1099', vendor.is1099 ? 'yes' : 'exempt'],
        ]}
      />
    </Panel>
  )
}

const MOVES: readonly { to: VendorStatus; word: string }[] = [
  { to: 'active', word: 'Activate vendor' },
  { to: 'on_hold', word: 'Put on hold' },
  { to: 'inactive', word: 'Deactivate vendor' },
]

type VendorDialog = 'edit' | 'details' | 'notice' | 'portal' | 'link' | 'revoke' | 'merge' | 'archive'

function VendorActions({ vendor }: { vendor: Vendor }) {
  const [open, setOpen] = useState<VendorDialog | null>(null)
  const can = useCan()
  const change = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/status', {
    onSuccess: ({ companyName, status }) => showToast(`${companyName}: ${humanizeName(status).toLowerCase()}`),
  })
  return (
    <>
      <ChangeError error={change.error} />
      <Button icon="mail" onClick={() => setOpen('portal')}>
        Invite to portal
      </Button>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      <Menu.Root>
        <Menu.Trigger render={<Button icon="dots" />}>More</Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.Item className="narrow-only" onClick={() => setOpen('portal')}>
                Invite to portal…
              </Menu.Item>
              {can('portal_links:read') && vendor.portalStatus !== 'not_invited' && (
                <Menu.Item onClick={() => setOpen('link')}>Copy portal link…</Menu.Item>
              )}
              {vendor.portalStatus !== 'not_invited' && (
                <Menu.Item onClick={() => setOpen('revoke')}>Revoke portal links…</Menu.Item>
              )}
              {can('tasks:write') && <Menu.Item onClick={() => setOpen('notice')}>Send notice…</Menu.Item>}
              <Menu.Item onClick={() => setOpen('details')}>Edit address, terms, and tax…</Menu.Item>
              {MOVES.filter(({ to }) => to !== vendor.status).map(({ to, word }) => (
                <Menu.Item
                  key={to}
                  onClick={() => change.mutate({ params: { path: { vendorId: vendor.id } }, body: { status: to } })}
                >
                  {word}
                </Menu.Item>
              ))}
              {can('skills:write') && <Menu.Item onClick={() => setOpen('merge')}>Merge a duplicate…</Menu.Item>}
              <Menu.Item onClick={() => setOpen('archive')}>Archive vendor…</Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {open === 'edit' && <VendorForm vendor={vendor} now={vendor} onClose={() => setOpen(null)} />}
      {open === 'details' && <VendorDetailsForm vendor={vendor} onClose={() => setOpen(null)} />}
      {open === 'notice' && <SendNoticeDialog vendor={vendor} onClose={() => setOpen(null)} />}
      {open === 'revoke' && <RevokePortalDialog vendor={vendor} onClose={() => setOpen(null)} />}
      {open === 'merge' && <MergeVendorDialog vendor={vendor} onClose={() => setOpen(null)} />}
      {open === 'archive' && <ArchiveVendorDialog vendor={vendor} onClose={() => setOpen(null)} />}
      {open === 'portal' && <InviteToPortal vendor={vendor} onClose={() => setOpen(null)} />}
      {open === 'link' && (
        <CopyLink vendor={vendor.companyName} of={{ vendorId: vendor.id }} onClose={() => setOpen(null)} />
      )}
    </>
  )
}
