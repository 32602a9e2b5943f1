import { Link, useParams } from 'react-router'
import type { Contract } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { RecordNames } from '../../ui/record-names.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { RecordFiles } from '../files/record-files.tsx'
import { ContractMoves } from './contract-moves.tsx'
import { ContractPrices } from './contract-prices.tsx'
import { CONTRACT_TYPE_WORDS, nameContract } from './contract-words.ts'

/** A contract has one or two revisions a year, so this is more than a contract ever has. */
const MAX_REVISIONS = 100

/** The actions that have a button or a page of their own. */
const OWN_ACTIONS = [
  'updateContract',
  'changeContractStatus',
  'draftContractRevision',
  'archiveContract',
  'repriceOpenPurchaseOrders',
]

/** Shows one revision of a contract: its prices with their changes, its other revisions, and its history. */
export function Component() {
  useLiveUpdates('at ease')
  const { contractId = '' } = useParams()
  const contract = plumbline.useQuery('get', '/api/ext/contracts/{contractId}', { params: { path: { contractId } } })
  const { data } = contract
  const revisions = useListPage(
    '/api/ext/contracts',
    { number: data?.number ?? '', limit: MAX_REVISIONS, sort: '-createdAt', includeArchived: true },
    { enabled: data !== undefined },
  ).data?.data
  const name = data === undefined ? 'Contract' : nameContract(data)
  const isLatest = (revisions ?? []).every(({ revision }) => revision <= (data?.revision ?? 0))
  return (
    <Page
      title={name}
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Vendor contracts', to: '/catalogue/contracts' },
        { name },
      ]}
      actions={
        data !== undefined && (
          <>
            <ContractMoves contract={data} isLatest={revisions !== undefined && isLatest} />
            <RecordActions field="contractId" id={contractId} except={OWN_ACTIONS} />
          </>
        )
      }
    >
      {contract.error !== null ? (
        <LoadError what="The contract" error={contract.error} onRetry={() => void contract.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <ContractDetails contract={data} revisions={revisions} />
      )}
    </Page>
  )
}

function ContractDetails({ contract, revisions }: { contract: Contract; revisions: readonly Contract[] | undefined }) {
  const can = useCan()
  const { day } = useFormats()
  const previous = revisions?.find(({ revision }) => revision === contract.revision - 1)
  const later = revisions?.find(({ revision }) => revision === contract.revision + 1)
  return (
    <>
      <TitleBlock
        name={nameContract(contract)}
        state={<Status of="contract" is={contract.status} />}
        sub={
          <>
            {humanizeName(contract.scope)}, with <RecordName of="vendor" id={contract.vendorId} />
          </>
        }
        facts={[
          { label: 'Valid from', isFigure: true, value: day(contract.effectiveDate) },
          {
            label: 'Valid until',
            isFigure: true,
            value: contract.expirationDate === null ? 'no end' : day(contract.expirationDate),
          },
          { label: 'Prices for', value: CONTRACT_TYPE_WORDS[contract.contractType] },
          {
            label: 'Communities',
            value: <RecordNames of="community" ids={contract.communityIds} none="all" />,
            isWideOnly: true,
          },
          { label: 'Retainage', isFigure: true, value: formatPercent(contract.retainagePercent), isWideOnly: true },
        ]}
      />
      {contract.status === 'draft' && (
        <div className="banner">
          <Icon name="info" />
          <span>
            This revision is a draft. Its prices apply after you activate it.
            {contract.revision > 1 && ' Until then, the previous revision stays valid.'}
          </span>
        </div>
      )}
      {later !== undefined && (
        <div className="banner">
          <Icon name="info" />
          <span>
            {later.status === 'draft' ? 'The next revision is a draft.' : 'There is a later revision.'}{' '}
            <Link to={`/catalogue/contracts/${later.id}`}>Open revision {later.revision}</Link>
          </span>
        </div>
      )}
      <div className="cols">
        <div className="stack">
          <ContractPrices contract={contract} previous={previous} />
          <RecordFiles
            recordId={contract.id}
            name={nameContract(contract)}
            needs="contracts:write"
            empty="No files yet. Add the signed contract."
          />
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={contract.id} />
            </Panel>
          )}
        </div>
        <div className="stack">
          <Revisions contract={contract} revisions={revisions} />
          <Panel title="Details">
            <KeyValues
              facts={[
                ['Vendor', <RecordName key="vendor" of="vendor" id={contract.vendorId} />],
                ['Communities', <RecordNames key="com" of="community" ids={contract.communityIds} none="all" />],
                ...(contract.contractType === 'turnkey'
                  ? []
                  : [['Plans', <RecordNames key="plans" of="plan" ids={contract.planIds} none="all" />] as const]),
                ['Preferred', contract.preferred ? 'yes, over lower prices' : 'no'],
                ['Retainage', formatPercent(contract.retainagePercent)],
                ['Source', contract.bidId === null ? 'entered manually' : 'an awarded bid'],
                ['Accounting', contract.accountingId ?? 'not synced'],
                ...(contract.notes === null ? [] : [['Notes', contract.notes] as const]),
              ]}
            />
          </Panel>
        </div>
      </div>
    </>
  )
}

function Revisions({ contract, revisions }: { contract: Contract; revisions: readonly Contract[] | undefined }) {
  const { day } = useFormats()
  const columns: readonly Column<Contract>[] = [
    {
      head: 'Revision',
      cell: ({ id, revision, effectiveDate, expirationDate }) => (
        <>
          {id === contract.id ? (
            <b aria-current="true">Revision {revision}</b>
          ) : (
            <Link to={`/catalogue/contracts/${id}`}>Revision {revision}</Link>
          )}
          <span className="sub">
            from {day(effectiveDate)}
            {expirationDate !== null && ` to ${day(expirationDate)}`}
          </span>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="contract" is={status} /> },
  ]
  return (
    <Panel title="Revisions" isFlush>
      <div className="table-wrap">
        <Table
          caption="Revisions"
          columns={columns}
          rows={revisions?.toSorted((a, b) => b.revision - a.revision)}
          keyOf={({ id }) => id}
          expected={1}
        />
      </div>
    </Panel>
  )
}
