import { useId, useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { BidComparison, BidComparisonVendor, BidRequest, Event } from '../../../client/contract.gen.ts'
import type { ExecutionOf } from '../../../client/skills.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun, useSkill } from '../../api/use-skill.ts'
import { Status } from '../../ui/badge.tsx'
import { BudgetBar } from '../../ui/budget-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EventList } from '../../ui/event-list.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { KeyValues } from '../../ui/panel.tsx'
import { ChangeError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { discardDraft } from '../../ui/use-form-draft.ts'
import { useFormats } from '../../ui/use-formats.ts'

/**
 * Shows a dry run of an award: the order, the rejections, and the events that it would create. Then performs the award.
 */
export function AwardDialog(props: {
  request: BidRequest
  comparison: BidComparison
  vendor: BidComparisonVendor
  onClose(): void
}) {
  const { request, comparison, vendor, onClose } = props
  const can = useCan()
  const { difference } = useFormats()
  const navigate = useNavigate()
  const others = comparison.vendors.filter(
    ({ bidId, bidStatus }) => bidId !== vendor.bidId && bidStatus === 'submitted',
  )
  const [withOrder, setWithOrder] = useState(can('pos:write') && request.homeIds.length === 1)
  const [rejectOthers, setRejectOthers] = useState(true)
  const [reason, setReason] = useState('')
  const [alternates, setAlternates] = useState<readonly number[]>([])
  const [alternateLineIds, setAlternateLineIds] = useState<readonly string[]>([])
  const id = useId()
  const [initial] = useState({ withOrder, rejectOthers, alternates, alternateLineIds })
  const entries = useMemo(() => {
    const current = { withOrder, rejectOthers, alternates, alternateLineIds }
    return {
      current,
      isChanged: JSON.stringify(current) !== JSON.stringify(initial),
      restore(before: typeof current) {
        setWithOrder(before.withOrder)
        setRejectOthers(before.rejectOthers)
        setAlternates(before.alternates)
        setAlternateLineIds(before.alternateLineIds)
      },
    }
  }, [withOrder, rejectOthers, alternates, alternateLineIds, initial])
  const bidId = vendor.bidId ?? ''
  const offered = comparison.lines.filter(({ prices }) =>
    prices.some((price) => price.bidId === bidId && price.alternate && price.amount !== null),
  )
  const priceOf = ({ prices }: BidComparison['lines'][number]) =>
    prices.find((price) => price.bidId === bidId)?.amount ?? 0
  const added = [
    ...alternates.map((position) => vendor.alternates[position]?.amount ?? 0),
    ...offered.filter(({ lineId }) => alternateLineIds.includes(lineId)).map(priceOf),
  ]
  const amount = vendor.amount === null ? null : added.reduce((total, each) => total + each, vendor.amount)
  const chosen = {
    ...(alternates.length > 0 && { alternates: [...alternates] }),
    ...(alternateLineIds.length > 0 && { alternateLineIds: [...alternateLineIds] }),
  }
  const trial = useDryRun('awardBid', { bidId, rejectOthers, createPurchaseOrder: withOrder, ...chosen })
  const award = useSkill('awardBid', {
    onSuccess: ({ result }) => {
      const order = result.purchaseOrder
      showToast(
        order === null ? `${request.number} awarded` : `${request.number} awarded, ${order.number} created`,
        order === null ? undefined : { word: 'Open order', to: `/orders/${order.id}` },
      )
      onClose()
      void navigate({ search: '' }, { replace: true })
    },
  })
  const excluded = comparison.lines
    .filter(({ lineId }) => vendor.excludedLineIds.includes(lineId))
    .map(({ description }) => description)
  const confirm = () =>
    award.run({
      bidId,
      rejectOthers,
      createPurchaseOrder: withOrder,
      ...chosen,
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    })

  return (
    <Dialog
      open
      onClose={onClose}
      size="wide"
      title={`Award ${request.title ?? request.scope} to ${vendor.companyName}`}
      note="This is a preview. Nothing has been changed yet."
      tail={
        <>
          <span className="note">{trial.data !== undefined && `The preview took ${trial.data.durationMs} ms`}</span>
          <Button
            onClick={() => {
              discardDraft(id)
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button
            look="primary"
            type="submit"
            form={id}
            busy={award.isPending}
            disabled={!trial.isSuccess || trial.isFetching}
          >
            {withOrder ? 'Award and create order' : 'Award'}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        draft={`award ${bidId}`}
        entries={entries}
        error={award.error}
        onSubmit={() => trial.isSuccess && !trial.isFetching && !award.isPending && confirm()}
      >
        {award.error === null && <ChangeError error={trial.error} />}
        {(vendor.exclusions !== null || excluded.length > 0) && (
          <div className="banner" data-tone="warn">
            <Icon name="warn" />
            <div>
              <strong>This bid excludes work.</strong>{' '}
              {[...(vendor.exclusions === null ? [] : [vendor.exclusions]), ...excluded].map((text) => (
                <p key={text}>{text}</p>
              ))}
            </div>
          </div>
        )}
        {(vendor.alternates.length > 0 || offered.length > 0) && (
          <fieldset className="field">
            <legend>Alternates to award with the bid</legend>
            {vendor.alternates.map(({ description, amount }, position) => (
              <label className="check" key={position}>
                <input
                  type="checkbox"
                  checked={alternates.includes(position)}
                  onChange={() => setAlternates(toggle(alternates, position))}
                />
                {description}
                {amount !== null && `: ${difference(amount)}`}
              </label>
            ))}
            {offered.map(({ lineId, description, ...line }) => (
              <label className="check" key={lineId}>
                <input
                  type="checkbox"
                  checked={alternateLineIds.includes(lineId)}
                  onChange={() => setAlternateLineIds(toggle(alternateLineIds, lineId))}
                />
                {description}: {difference(priceOf({ lineId, description, ...line }))}
              </label>
            ))}
          </fieldset>
        )}
        {trial.data === undefined ? (
          trial.error === null && <SkeletonLines lines={6} />
        ) : (
          <AwardEffects trial={trial.data} vendor={vendor} amount={amount} others={others} request={request} />
        )}
        <div className="form-row">
          <Field name="reason" label="Reason, recorded with the award" optional>
            {(control) => (
              <input
                {...control}
                className="input"
                maxLength={1000}
                autoComplete="off"
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
          <fieldset className="field">
            <legend>After the award</legend>
            <div className="row wrap">
              {can('pos:write') && (
                <label className="check">
                  <input type="checkbox" checked={withOrder} onChange={(event) => setWithOrder(event.target.checked)} />
                  Create order
                </label>
              )}
              {others.length > 0 && (
                <label className="check">
                  <input
                    type="checkbox"
                    checked={rejectOthers}
                    onChange={(event) => setRejectOthers(event.target.checked)}
                  />
                  Reject {others.length === 1 ? 'the other bid' : `the ${others.length} other bids`}
                </label>
              )}
            </div>
          </fieldset>
        </div>
      </Form>
    </Dialog>
  )
}

/** Returns the list with the value added or, if the list already contains it, removed. */
function toggle<Value>(list: readonly Value[], value: Value): readonly Value[] {
  return list.includes(value) ? list.filter((each) => each !== value) : [...list, value]
}

function AwardEffects(props: {
  trial: ExecutionOf<'awardBid'>
  vendor: BidComparisonVendor
  /** The total of the bid with the chosen alternates; null while it is hidden. */
  amount: number | null
  others: readonly BidComparisonVendor[]
  request: BidRequest
}) {
  const { trial, vendor, amount, others, request } = props
  const { money, difference } = useFormats()
  const { purchaseOrder: order, rejectedBidIds } = trial.result
  const rejected = others.filter(({ bidId }) => bidId !== null && rejectedBidIds.includes(bidId))
  const { budgeted } = vendor
  const aboutBid = ({ data }: Event) =>
    [vendor, ...others].find(({ bidId }) => 'id' in data.object && data.object.id === bidId)?.companyName
  return (
    <>
      {order !== null && (
        <div className="effect-box">
          <h3>
            <Icon name="orders" />
            This order will be created
            <span className="push">
              {order.approval.required ? 'it needs an approval before it is issued' : 'as a draft'}
            </span>
          </h3>
          <div className="in order-in">
            <KeyValues
              facts={[
                [
                  'Order',
                  <span className="row wrap" key="order">
                    <b>{order.number}</b> <Status of="order" is={order.status} bare />
                  </span>,
                ],
                ['Vendor', vendor.companyName],
                ['Lines', formatCount(order.lines.length, 'line')],
                ['Total', money(order.total)],
                ['Retainage', `${order.retainagePercent}%`],
              ]}
            />
            {amount !== null && budgeted !== null && (
              <div className="stack tight">
                <div className="row small">
                  <span className="muted">{request.title ?? request.scope}</span>
                  <span className="push">
                    {money(amount)} of {money(budgeted)}
                  </span>
                </div>
                <BudgetBar label={request.scope} {...{ budgeted, committed: 0, pending: amount, actual: 0 }} />
                <p className="small muted">
                  {amount > budgeted ? (
                    <>
                      <b className="tone-bad">{difference(amount - budgeted)}</b> compared with the budget.
                    </>
                  ) : (
                    <>
                      <b className="tone-ok">{money(budgeted - amount)}</b> remains available.
                    </>
                  )}
                </p>
              </div>
            )}
          </div>
        </div>
      )}
      <div className="effect-box">
        <h3>
          <Icon name="ban" />
          {rejected.length === 0
            ? 'No bids will be rejected'
            : `${formatCount(rejected.length, 'bid')} will be rejected`}
        </h3>
        {rejected.map((other) => (
          <div className="in row wrap" key={other.bidId}>
            <span>{other.companyName}</span>
            <span className="muted">{other.amount !== null && money(other.amount)}</span>
            <span className="push">
              <Status of="bid" is="submitted" bare /> <span className="faint">becomes</span>{' '}
              <Status of="bid" is="rejected" bare />
            </span>
          </div>
        ))}
      </div>
      <EventList events={trial.events} about={aboutBid} />
    </>
  )
}
