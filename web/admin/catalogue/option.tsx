import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { Option } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { describeCutoff } from './cutoff.ts'
import { OptionDialog } from './option-form.tsx'
import { OptionRules } from './option-rules.tsx'
import { TakeoffPanel } from './takeoff-panel.tsx'

/** Shows one option with its price, rules, and takeoff, and lets the user change and offer it. */
export function Component() {
  const { optionId = '' } = useParams()
  const can = useCan()
  const [isRetiring, setIsRetiring] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  const at = { params: { path: { optionId } } }
  const option = plumbline.useQuery('get', '/api/ext/options/{optionId}', at)
  const offer = plumbline.useMutation('post', '/api/ext/options/{optionId}/status', {
    onSuccess: ({ name }) => showToast(`${name} is now offered`),
  })
  const { data } = option
  const name = data?.name ?? 'Option'
  const canChange = data !== undefined && data.archivedAt === null && can('options:write')
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Options', to: '/catalogue/options' }, { name }]}
      actions={
        <>
          {canChange && <Button onClick={() => setIsEditing(true)}>Edit</Button>}
          {canChange &&
            (data.status === 'active' ? (
              <Button look="danger" onClick={() => setIsRetiring(true)}>
                Retire
              </Button>
            ) : (
              <Button
                look="primary"
                busy={offer.isPending}
                onClick={() => offer.mutate({ ...at, body: { status: 'active' } })}
              >
                Offer option
              </Button>
            ))}
          <RecordActions field="optionId" id={optionId} except={['updateOption', 'changeOptionStatus']} />
        </>
      }
    >
      <ChangeError error={offer.error} />
      {option.error !== null ? (
        <LoadError what="The option" error={option.error} onRetry={() => void option.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <OptionDetails option={data} canEdit={canChange} />
      )}
      {isEditing && data !== undefined && <OptionDialog option={data} onClose={() => setIsEditing(false)} />}
      {isRetiring && data !== undefined && <RetireDialog option={data} onClose={() => setIsRetiring(false)} />}
    </Page>
  )
}

function RetireDialog({ option, onClose }: { option: Option; onClose(): void }) {
  const trial = useChangePreview('changeOptionStatus', { optionId: option.id, status: 'retired' })
  const change = plumbline.useMutation('post', '/api/ext/options/{optionId}/status', {
    onSuccess: ({ name }) => {
      showToast(`${name} retired`)
      onClose()
    },
  })
  return (
    <MoveDialog
      title={`Retire ${option.name}?`}
      effect="Buyers will no longer be able to choose this option. Existing selections will not change. You can offer it again later."
      word="Retire"
      isDanger
      error={change.error}
      isPending={change.isPending}
      {...{ trial, onClose }}
      onConfirm={() => change.mutate({ params: { path: { optionId: option.id } }, body: { status: 'retired' } })}
    />
  )
}

function OptionDetails({ option, canEdit }: { option: Option; canEdit: boolean }) {
  const can = useCan()
  const { money } = useFormats()
  return (
    <>
      <TitleBlock
        name={option.name}
        sub={`${option.code}, ${humanizeName(option.status).toLowerCase()}`}
        facts={[
          { label: 'Type', value: humanizeName(option.optionType), note: option.category ?? undefined },
          {
            label: 'Price',
            isFigure: true,
            value: option.price !== null ? money(option.price) : `${formatPercent(option.marginPercent ?? 0)} margin`,
            note: option.price === null ? 'on what it costs' : `for each ${option.unit}`,
          },
          {
            label: 'Cost',
            isFigure: true,
            value: option.cost === null ? 'from its parts' : money(option.cost),
            note: humanizeName(option.costBasis),
          },
          { label: 'Deadline', value: describeCutoff(option) },
          { label: 'Trade', value: option.scope === null ? 'none' : humanizeName(option.scope) },
          {
            label: 'Cost code',
            value: option.costCodeId === null ? 'none' : <RecordName of="costCode" id={option.costCodeId} />,
          },
        ]}
      />
      <div className="cols">
        <div className="stack">
          {option.description !== null && (
            <Panel title="Description">
              <p>{option.description}</p>
            </Panel>
          )}
          {can('parts:read') && <OptionTakeoff option={option} />}
        </div>
        <OptionRules option={option} canEdit={canEdit} />
      </div>
    </>
  )
}

function OptionTakeoff({ option }: { option: Option }) {
  const can = useCan()
  const { data, error } = plumbline.useQuery('get', '/api/ext/options/{optionId}/takeoff', {
    params: { path: { optionId: option.id } },
  })
  return (
    <TakeoffPanel
      lines={data?.lines}
      error={error}
      empty="No parts in this option."
      actions={
        can('parts:write') &&
        option.archivedAt === null && (
          <Link className="btn small" to={`/catalogue/options/${option.id}/takeoff`}>
            Edit takeoff
          </Link>
        )
      }
    />
  )
}
