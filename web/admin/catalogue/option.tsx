import { useState } from 'react'
import { useParams } from 'react-router'
import type { Option } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useDryRun } from '../../api/skills.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { percent } from '../../ui/figures.ts'
import { MoveDialog } from '../../ui/move.tsx'
import { Name } from '../../ui/name.tsx'
import { Names } from '../../ui/names.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { Failed, Refused, SkeletonLines } from '../../ui/states.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { say } from '../../ui/toast.tsx'
import { cutoffOf } from './cutoff.ts'
import { TakeoffPanel } from './takeoff.tsx'

/** Shows one option: its cost and price, the houses it is offered for, its parts, and the options it excludes. */
export function Component() {
  const { optionId = '' } = useParams()
  const may = useMay()
  const [isRetiring, setIsRetiring] = useState(false)
  const at = { params: { path: { optionId } } }
  const option = plumbline.useQuery('get', '/api/ext/options/{optionId}', at)
  const offer = plumbline.useMutation('post', '/api/ext/options/{optionId}/status', {
    onSuccess: ({ name }) => say(`${name} is now offered`),
  })
  const { data } = option
  const name = data?.name ?? 'Option'
  const canChange = data !== undefined && data.archivedAt === null && may('options:write')
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Options', to: '/catalogue/options' }, { name }]}
      actions={
        canChange &&
        (data.status === 'active' ? (
          <Button className="keep" look="danger" onClick={() => setIsRetiring(true)}>
            Retire
          </Button>
        ) : (
          <Button
            className="keep"
            look="primary"
            busy={offer.isPending}
            onClick={() => offer.mutate({ ...at, body: { status: 'active' } })}
          >
            Offer option
          </Button>
        ))
      }
    >
      <Refused error={offer.error} />
      {option.error !== null ? (
        <Failed what="The option" error={option.error} onRetry={() => void option.refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <Shown option={data} />
      )}
      {isRetiring && data !== undefined && <Retire option={data} onClose={() => setIsRetiring(false)} />}
    </Page>
  )
}

function Retire({ option, onClose }: { option: Option; onClose(): void }) {
  const canTry = useMay()('skills:write')
  const trial = useDryRun('changeOptionStatus', { optionId: option.id, status: 'retired' }, { enabled: canTry })
  const change = plumbline.useMutation('post', '/api/ext/options/{optionId}/status', {
    onSuccess: ({ name }) => {
      say(`${name} retired`)
      onClose()
    },
  })
  return (
    <MoveDialog
      title={`Retire ${option.name}?`}
      effect="Buyers can no longer choose this option. Existing selections do not change. You can offer it again later."
      word="Retire"
      isDanger
      trial={canTry ? trial : null}
      error={change.error}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => change.mutate({ params: { path: { optionId: option.id } }, body: { status: 'retired' } })}
    />
  )
}

function Shown({ option }: { option: Option }) {
  const may = useMay()
  const { money } = useFormats()
  return (
    <>
      <TitleBlock
        name={option.name}
        sub={`${option.code}, ${inWords(option.status).toLowerCase()}`}
        facts={[
          { label: 'Type', value: inWords(option.optionType), note: option.category ?? undefined },
          {
            label: 'Price',
            isFigure: true,
            value: option.price !== null ? money(option.price) : `${percent(option.marginPercent ?? 0)} margin`,
            note: option.price === null ? 'on what it costs' : `for each ${option.unit}`,
          },
          {
            label: 'Cost',
            isFigure: true,
            value: option.cost === null ? 'from its parts' : money(option.cost),
            note: inWords(option.costBasis),
          },
          { label: 'Choose by', value: cutoffOf(option) },
          { label: 'Trade', isWideOnly: true, value: option.scope === null ? 'none' : inWords(option.scope) },
          {
            label: 'Cost code',
            isWideOnly: true,
            value: option.costCodeId === null ? 'none' : <Name of="costCode" id={option.costCodeId} />,
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
          {may('parts:read') && <Takeoff optionId={option.id} />}
        </div>
        <Panel title="Rules">
          <KeyValues
            facts={[
              ['Plans', <Names key="plans" of="plan" ids={option.planIds} none="all" />],
              ['Communities', <Names key="where" of="community" ids={option.communityIds} none="all" />],
              ['Requires', <Names key="requires" of="option" ids={option.requiresOptionIds} none="nothing" />],
              ['Excludes', <Names key="excludes" of="option" ids={option.excludesOptionIds} none="nothing" />],
            ]}
          />
        </Panel>
      </div>
    </>
  )
}

function Takeoff({ optionId }: { optionId: string }) {
  const { data, error } = plumbline.useQuery('get', '/api/ext/options/{optionId}/takeoff', {
    params: { path: { optionId } },
  })
  return <TakeoffPanel lines={data?.lines} error={error} empty="No parts in this option." />
}
