import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'react-router'
import type { Lead } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { RecordNames } from '../../ui/record-names.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { LeadActivities, NewActivity } from './lead-activities.tsx'
import { LeadForm } from './lead-form.tsx'
import { formatLeadName, LeadMoves } from './lead-moves.tsx'

/** Shows one lead: its contact data, its interests, its activities, and the next step. */
export function Component() {
  useLiveUpdates('at ease')
  const { leadId = '' } = useParams()
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const [isEdited, setIsEdited] = useState(false)
  const lead = plumbline.useQuery('get', '/api/ext/leads/{leadId}', { params: { path: { leadId } } })
  const { data } = lead
  const name = data === undefined ? 'Lead' : formatLeadName(data)
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Sales', to: '/sales' }, { name }]}
      actions={
        data !== undefined &&
        data.archivedAt === null &&
        can('leads:write') && (
          <>
            <LeadMoves lead={data} />
            <Button onClick={() => setIsEdited(true)}>Edit</Button>
            <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
              Add activity
            </Button>
            <RecordActions field="leadId" id={leadId} />
            {isNew && <NewActivity lead={data} name={name} onClose={() => setIsNew(false)} />}
            {isEdited && <LeadForm lead={data} onClose={() => setIsEdited(false)} />}
          </>
        )
      }
    >
      {lead.error !== null ? (
        <LoadError what="The lead" error={lead.error} onRetry={() => void lead.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <LeadDetails lead={data} />
      )}
    </Page>
  )
}

function LeadDetails({ lead }: { lead: Lead }) {
  const can = useCan()
  const { day } = useFormats()
  return (
    <>
      <TitleBlock
        name={formatLeadName(lead)}
        state={<Status of="lead" is={lead.status} />}
        sub={[lead.email, lead.phone].filter((part) => part !== null).join(', ') || 'no contact details'}
        facts={[
          { label: 'Score', isFigure: true, value: lead.score, note: 'of 100' },
          { label: 'Source', value: humanizeName(lead.source), note: <TimeText at={lead.createdAt} /> },
          { label: 'Budget', value: <LeadBudget lead={lead} /> },
          {
            label: 'Move-in',
            isWideOnly: true,
            value: lead.desiredMoveIn === null ? 'not specified' : day(lead.desiredMoveIn),
          },
          {
            label: 'Next contact',
            value: lead.nextActivityAt === null ? 'not scheduled' : <TimeText at={lead.nextActivityAt} />,
          },
          {
            label: 'Assigned to',
            isWideOnly: true,
            value: lead.ownerUserId === null ? 'not assigned' : <RecordName of="user" id={lead.ownerUserId} />,
          },
        ]}
      />
      {lead.convertedSaleId !== null && (
        <div className="banner" data-tone="ok">
          <Icon name="check" />
          <div>
            <strong>This lead bought a home.</strong>
          </div>
          {can('sales:read') && (
            <Link className="btn small" to={`/sales/${lead.convertedSaleId}`}>
              Open sale
            </Link>
          )}
        </div>
      )}
      {lead.lostReason !== null && (
        <div className="banner">
          <Icon name="info" />
          <div>
            <strong>Lost:</strong> {lead.lostReason}
          </div>
        </div>
      )}
      <div className="cols">
        <LeadActivities lead={lead} />
        <div className="stack">
          <Panel title="Preferences">
            <KeyValues
              facts={[
                ['Communities', <RecordNames key="where" of="community" ids={lead.communityIds} none="any" />],
                ['Plans', <RecordNames key="plans" of="plan" ids={lead.planIds} none="any" />],
              ]}
            />
          </Panel>
          <Panel title="Score" hint="how it is calculated">
            {lead.scoreReasons.length === 0 ? (
              <p className="muted">No points yet.</p>
            ) : (
              <KeyValues
                facts={lead.scoreReasons.map(
                  ({ reason, points }) => [reason.replace(/\.$/, ''), `+${points}`] as const,
                )}
              />
            )}
          </Panel>
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={lead.id} />
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}

function LeadBudget({ lead: { budgetMin, budgetMax } }: { lead: Lead }): ReactNode {
  const { money } = useFormats()
  if (budgetMin === null && budgetMax === null) return 'not specified'
  if (budgetMax === null) return `from ${money(budgetMin ?? 0)}`
  return budgetMin === null ? `up to ${money(budgetMax)}` : `${money(budgetMin)} to ${money(budgetMax)}`
}
