import { useState } from 'react'
import { Link } from 'react-router'
import type { BidComparison, BidComparisonLine, BidComparisonVendor, BidRequest } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatPercent, formatQuantity, formatUnitPrice } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { Shape } from '../../ui/shape.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { FilesButton } from '../files/file-viewer.tsx'
import { AwardDialog } from './award-dialog.tsx'
import { BID_FLAGS } from './bid-flags.ts'
import { BidRange } from './bid-range.tsx'
import { canLevelBid, LevelBidDialog } from './level-bid-dialog.tsx'
import { HiddenAmount } from './requests.tsx'

/**
 * Compares bids side by side: the prices of each line by vendor with the lowest marked, missing lines, and the
 * difference from the budget.
 */
export function Comparison({ request, comparison }: { request: BidRequest; comparison: BidComparison }) {
  const can = useCan()
  const [awarding, setAwarding] = useState<BidComparisonVendor | null>(null)
  const [leveling, setLeveling] = useState<BidComparisonVendor | null>(null)
  const { vendors, lines, currency, lowestBidIds, budgeted } = comparison
  const { whole: plain, difference, wholeDifference, day, dateOf } = useFormats()
  const mayAward = can('bids:write') && (request.status === 'sent' || request.status === 'closed')
  if (vendors.length === 0)
    return (
      <div className="panel">
        <EmptyState icon="bids" title="No vendors invited yet">
          Add vendors to the draft, then send the request.
        </EmptyState>
      </div>
    )
  const hasBids = comparison.bidCount > 0
  const isAnyLeveled = vendors.some(({ amount, leveledAmount }) => amount !== leveledAmount)
  return (
    <>
      <Panel
        title="Lines by vendor"
        hint={`the lowest price of each line is marked; amounts in ${currency}`}
        isFlush
        actions={
          <Button small look="quiet" icon="download" onClick={() => exportComparison(comparison)}>
            Export
          </Button>
        }
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
        <section className="table-wrap" tabIndex={0} aria-label="Prices, line by line">
          <table className="table grid-lines compare">
            <thead>
              <tr>
                <th scope="col">Line</th>
                <th scope="col" className="num qty">
                  Quantity
                </th>
                {vendors.map((vendor) => (
                  <VendorHead key={vendorKey(vendor)} vendor={vendor} />
                ))}
                <th scope="col" className="num">
                  Spread
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <LineRow
                  key={line.lineId}
                  line={line}
                  vendors={vendors}
                  isHidden={comparison.amountsHidden}
                  plain={plain}
                />
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{isAnyLeveled ? 'Total as bid' : 'Total'}</th>
                <td className="qty" />
                {vendors.map((vendor) => (
                  <td key={vendorKey(vendor)} className="num">
                    {vendor.bidId === null ? (
                      <span className="none">no bid</span>
                    ) : vendor.amount === null ? (
                      <HiddenAmount />
                    ) : (
                      <LowestMark isLowest={!isAnyLeveled && lowestBidIds.includes(vendor.bidId)}>
                        {plain(vendor.amount)}
                      </LowestMark>
                    )}
                  </td>
                ))}
                <td className="num">
                  {comparison.spreadPercent === null || comparison.bidCount < 2
                    ? ''
                    : formatPercent(comparison.spreadPercent)}
                </td>
              </tr>
              {hasBids && !comparison.amountsHidden && isAnyLeveled && (
                <FactRow head="Leveled total" vendors={vendors}>
                  {({ bidId, leveledAmount }) =>
                    leveledAmount === null ? (
                      <span className="tone-warn">not leveled</span>
                    ) : (
                      <LowestMark isLowest={bidId !== null && lowestBidIds.includes(bidId)}>
                        {plain(leveledAmount)}
                      </LowestMark>
                    )
                  }
                </FactRow>
              )}
              {hasBids && !comparison.amountsHidden && (
                <FactRow head="Amount above lowest bid" vendors={vendors}>
                  {({ aboveLowAmount }) => (aboveLowAmount === null ? null : wholeDifference(aboveLowAmount))}
                </FactRow>
              )}
              {budgeted !== null && hasBids && !comparison.amountsHidden && (
                <FactRow head={`Difference from budget of ${plain(budgeted)}`} vendors={vendors}>
                  {({ aboveBudgetAmount, aboveBudgetPercent }) =>
                    aboveBudgetAmount === null ? null : (
                      <span className={aboveBudgetAmount > 0 ? 'tone-bad' : 'tone-ok'}>
                        {wholeDifference(aboveBudgetAmount)}{' '}
                        {aboveBudgetPercent !== null && (
                          <span className="faint pct">{formatPercent(aboveBudgetPercent)}</span>
                        )}
                      </span>
                    )
                  }
                </FactRow>
              )}
              {hasBids && (
                <>
                  <FactRow head="Lead time + duration" vendors={vendors}>
                    {({ leadTimeDays, durationDays }) =>
                      leadTimeDays === null && durationDays === null ? null : describeTimes(leadTimeDays, durationDays)
                    }
                  </FactRow>
                  <FactRow head="Received" vendors={vendors}>
                    {({ submittedAt, revision }) =>
                      submittedAt === null
                        ? null
                        : `${day(dateOf(submittedAt))}${(revision ?? 1) > 1 ? `, revision ${revision}` : ''}`
                    }
                  </FactRow>
                </>
              )}
              {vendors.some(({ exclusions }) => exclusions !== null) && (
                <FactRow head="Exclusions" vendors={vendors} className="texts">
                  {({ exclusions }) => exclusions}
                </FactRow>
              )}
              {hasBids && (
                <FactRow head="Files" vendors={vendors}>
                  {({ bidId, companyName }) =>
                    bidId !== null && (
                      <FilesButton recordId={bidId} name={`the bid of ${companyName}`} needs="bids:write" />
                    )
                  }
                </FactRow>
              )}
              {vendors.some(({ alternates }) => alternates.length > 0) && (
                <FactRow head="Alternates, not in the total" vendors={vendors} className="texts">
                  {({ alternates }) =>
                    alternates.map(({ description, amount, note }) => (
                      <div key={description}>
                        {description}
                        {amount !== null && `: ${difference(amount)}`}
                        {note !== null && <small className="faint"> {note}</small>}
                      </div>
                    ))
                  }
                </FactRow>
              )}
              {can('bids:write') && !comparison.amountsHidden && vendors.some(canLevelBid) && (
                <FactRow head={<span className="sr">Level</span>} vendors={vendors} className="no-print">
                  {(vendor) =>
                    canLevelBid(vendor) ? (
                      <Button small onClick={() => setLeveling(vendor)}>
                        Level…<span className="sr"> the bid from {vendor.companyName}</span>
                      </Button>
                    ) : null
                  }
                </FactRow>
              )}
              {mayAward && vendors.some(({ awardable }) => awardable) && (
                <FactRow head={<span className="sr">Award</span>} vendors={vendors} className="no-print">
                  {(vendor) =>
                    vendor.awardable ? (
                      <Button small look={vendor.rank === 1 ? 'primary' : 'plain'} onClick={() => setAwarding(vendor)}>
                        Award…<span className="sr"> to {vendor.companyName}</span>
                      </Button>
                    ) : null
                  }
                </FactRow>
              )}
            </tfoot>
          </table>
        </section>
      </Panel>
      <div className="cols even">
        <Panel title="Bid range" hint={hasBids ? 'each point is one leveled bid' : undefined}>
          {!hasBids ? (
            <p className="muted">No bids yet.</p>
          ) : comparison.amountsHidden ? (
            <p className="muted">This request is blind: amounts are hidden until bidding closes.</p>
          ) : comparison.leveledBidCount === 0 ? (
            <p className="muted">No bid is leveled yet. Level the bids to compare them.</p>
          ) : (
            <>
              <BidRange comparison={comparison} />
              <SplitHint comparison={comparison} isSplit={request.awardMode === 'split'} />
            </>
          )}
        </Panel>
        <AwardNotes request={request} comparison={comparison} />
      </div>
      {leveling !== null && (
        <LevelBidDialog comparison={comparison} vendor={leveling} onClose={() => setLeveling(null)} />
      )}
      {awarding !== null && (
        <AwardDialog request={request} comparison={comparison} vendor={awarding} onClose={() => setAwarding(null)} />
      )}
    </>
  )
}

/** Formats a lead time and a duration, such as `3 + 2 days`, or a bid that states only one of them. */
function describeTimes(leadTimeDays: number | null, durationDays: number | null): string {
  if (durationDays === null) return `${formatCount(leadTimeDays ?? 0, 'day')} + not stated`
  return `${leadTimeDays ?? 'not stated'} + ${formatCount(durationDays, 'day')}`
}

function vendorKey({ bidId, vendorId }: BidComparisonVendor): string {
  return bidId ?? vendorId
}

function VendorHead({ vendor }: { vendor: BidComparisonVendor }) {
  const { vendorId, companyName, bidId, bidStatus, complianceStatus, invitationStatus } = vendor
  return (
    <th scope="col" className="num">
      <Link className="lead" to={`/vendors/${vendorId}`}>
        {companyName}
      </Link>
      <span className="sub">
        {bidStatus === 'accepted' || bidStatus === 'rejected' ? (
          <Status of="bid" is={bidStatus} bare />
        ) : bidId !== null || invitationStatus === null ? (
          <Status of="compliance" is={complianceStatus} bare />
        ) : (
          <Status of="invitation" is={invitationStatus} bare />
        )}
      </span>
    </th>
  )
}

function LineRow(props: {
  line: BidComparisonLine
  vendors: readonly BidComparisonVendor[]
  isHidden: boolean
  plain(amount: number): string
}) {
  const { line, vendors, isHidden, plain } = props
  const requested = `${formatQuantity(line.quantity)} ${line.unit}`
  return (
    <tr>
      <th scope="row">
        {line.description}
        <span className="sub only-narrow">{requested}</span>
        {!line.required && <span className="sub">optional</span>}
      </th>
      <td className="num qty">
        {formatQuantity(line.quantity)} <span className="faint">{line.unit}</span>
      </td>
      {vendors.map((vendor) => {
        const price = line.prices.find(({ bidId }) => bidId === vendor.bidId)
        return (
          <td key={vendorKey(vendor)} className="num">
            {vendor.bidId === null ? (
              <span className="none">no bid</span>
            ) : vendor.excludedLineIds.includes(line.lineId) || price?.excluded === true ? (
              <span className="tone-warn">excluded</span>
            ) : price?.amount === undefined || price.amount === null ? (
              isHidden ? (
                <HiddenAmount />
              ) : (
                <span className="none">no price</span>
              )
            ) : (
              <>
                <LowestMark isLowest={price.lowest}>{plain(price.amount)}</LowestMark>
                <span className="sub">{describePrice(price)}</span>
                {(price.quantity !== line.quantity || price.unit !== line.unit) && price.unit !== null && (
                  <span className="sub">
                    <span className="tone-warn">
                      for {formatQuantity(price.quantity ?? 0)} {price.unit}
                    </span>
                  </span>
                )}
                {price.alternate && (
                  <span className="sub">
                    <span className="tone-warn">alternate{price.note === null ? '' : `: ${price.note}`}</span>
                  </span>
                )}
                {price.leveledAmount === null ? (
                  <span className="sub">
                    <span className="tone-warn">not compared</span>
                  </span>
                ) : (
                  price.leveledAmount !== price.amount && (
                    <span className="sub">leveled {plain(price.leveledAmount)}</span>
                  )
                )}
              </>
            )}
          </td>
        )
      })}
      <td className="num">
        {line.spreadPercent === null || line.prices.length < 2 ? '' : formatPercent(line.spreadPercent)}
      </td>
    </tr>
  )
}

/** Formats the price in the unit of the bid, which may differ from the unit of the request. */
function describePrice({ unitPrice, unit }: BidComparisonLine['prices'][number]): string {
  return unitPrice === null || unit === null || unit === 'LS' ? 'lump sum' : `${formatUnitPrice(unitPrice)} / ${unit}`
}

function LowestMark({ isLowest, children }: { isLowest: boolean; children: string }) {
  if (!isLowest) return children
  return (
    <span className="lowest">
      <span className="low-mark">
        <Shape name="down" />
        <span className="sr">lowest: </span>
      </span>{' '}
      {children}
    </span>
  )
}

function FactRow(props: {
  head: React.ReactNode
  vendors: readonly BidComparisonVendor[]
  className?: string
  children(vendor: BidComparisonVendor): React.ReactNode
}) {
  const { head, vendors, className = '', children } = props
  return (
    <tr className={`plain ${className}`}>
      <th scope="row">{head}</th>
      <td className="qty" />
      {vendors.map((vendor) => (
        <td key={vendorKey(vendor)} className="num">
          {vendor.bidId === null ? null : children(vendor)}
        </td>
      ))}
      <td />
    </tr>
  )
}

function SplitHint({ comparison, isSplit }: { comparison: BidComparison; isSplit: boolean }) {
  const { money } = useFormats()
  const { lowestLinesTotal, lowAmount } = comparison
  if (lowestLinesTotal === null || lowAmount === null || lowestLinesTotal >= lowAmount) return null
  return (
    <p className="small muted">
      The lowest price per line totals {money(lowestLinesTotal)}. A split award would save{' '}
      {money(lowAmount - lowestLinesTotal)}
      {isSplit ? '.' : ', but this request is awarded to one vendor.'}
    </p>
  )
}

function AwardNotes({ request, comparison }: { request: BidRequest; comparison: BidComparison }) {
  const { day, dateOf } = useFormats()
  const flagged = comparison.vendors.flatMap(({ vendorId, companyName, bidId, flags }) =>
    flags.map((flag) => ({ key: `${bidId ?? vendorId} ${flag}`, vendorId, companyName, ...BID_FLAGS[flag] })),
  )
  const silent = comparison.vendors.flatMap((vendor) => {
    const invitation = request.invitations.find(({ vendorId }) => vendorId === vendor.vendorId)
    const isSilent = vendor.bidId === null && ['sent', 'viewed', 'will_bid'].includes(vendor.invitationStatus ?? '')
    return isSilent && invitation !== undefined ? [{ vendor, invitation }] : []
  })
  return (
    <Panel title="Issues to check before the award" isFlush>
      {flagged.length + silent.length === 0 ? (
        <div className="body muted">No issues found with the bids.</div>
      ) : (
        <ul className="line-list">
          {flagged.map(({ key, vendorId, companyName, word, tone }) => (
            <li key={key}>
              <span className="sign" data-tone={tone}>
                <Icon name="warn" />
              </span>
              <div className="what">
                <Link to={`/vendors/${vendorId}`}>
                  {companyName} {word}
                </Link>
                <span>{tone === 'bad' ? 'This bid cannot be accepted.' : 'You can still accept the bid.'}</span>
              </div>
            </li>
          ))}
          {silent.map(({ vendor, invitation }) => (
            <li key={invitation.id}>
              <span className="sign" data-tone="flow">
                <Icon name="mail" />
              </span>
              <div className="what">
                <Link to={`/vendors/${vendor.vendorId}`}>
                  {vendor.companyName}{' '}
                  {invitation.status === 'will_bid'
                    ? 'plans to bid'
                    : invitation.viewedAt === null
                      ? 'has not opened the link'
                      : 'has opened the link, but not responded'}
                </Link>
                <span>
                  {invitation.sentAt !== null && `Sent ${day(dateOf(invitation.sentAt))}`}
                  {invitation.remindersSent > 0 &&
                    `, reminded ${invitation.remindersSent === 1 ? 'once' : `${invitation.remindersSent} times`}`}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function exportComparison({ number, vendors, lines }: BidComparison): void {
  const bids = vendors.filter(({ bidId }) => bidId !== null)
  const heads = [
    ...['Line', 'Quantity', 'Unit'],
    ...bids.flatMap(({ companyName }) => [
      ...[companyName, `${companyName}: quantity`, `${companyName}: unit`, `${companyName}: leveled`],
    ]),
  ]
  const rows = lines.map((line) => [
    ...[line.description, line.quantity, line.unit],
    ...bids.flatMap(({ bidId }) => {
      const price = line.prices.find((price) => price.bidId === bidId)
      return [price?.amount ?? null, price?.quantity ?? null, price?.unit ?? null, price?.leveledAmount ?? null]
    }),
  ])
  const totals = bids.flatMap(({ amount, leveledAmount }) => [amount, null, null, leveledAmount])
  const exclusions = bids.flatMap((bid) => [bid.exclusions, null, null, null])
  saveFile(
    toCsv(heads, [...rows, ['Total', null, null, ...totals], ['Exclusions', null, null, ...exclusions]]),
    `${number}-comparison.csv`,
  )
}
