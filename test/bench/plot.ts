/** A finding as a bar chart, drawn by Vega-Lite to plain SVG. */
import { type Finding, figure, ratios, short, spread } from './measure.ts'
import { load } from './peers.ts'

/** The little of Vega and Vega-Lite that is used here; they are installed with the peers, not with the project. */
interface VegaLite {
  compile(spec: object): { spec: object }
}
interface Vega {
  parse(spec: object): object
  View: new (runtime: object, options: { renderer: 'none' }) => { toSVG(): Promise<string> }
}

const colors = { own: '#0b7285', other: '#adb5bd', goal: '#e8590c' }

export async function plot(finding: Finding): Promise<string> {
  const vegaLite = await load<VegaLite>('vega-lite')
  const vega = await load<Vega>('vega')
  const svg = await new vega.View(vega.parse(vegaLite.compile(chart(finding)).spec), { renderer: 'none' }).toSVG()
  // To those who listen to a picture, its title says more than the roles of all its lines.
  return svg.replaceAll(/ (?:role|aria-[a-z]+)="[^"]*"/g, '').replace('>', `><title>${finding.title}</title>`)
}

function chart(finding: Finding): object {
  const values = finding.rows.map((row) => {
    const { low, median, high } = figure(finding, row)
    return {
      name: row.name,
      low,
      median,
      high,
      label: label(finding, row),
      own: isOwn(finding, row.name),
    }
  })
  const goal = finding.rows.find((row) => row.goal)?.goal
  const limit = goal && ('atMost' in goal ? goal.atMost : goal.atLeast)
  const goalMark = { type: 'rule', color: colors.goal, strokeDash: [4, 3], strokeWidth: 1.5 }
  const goalLine =
    limit === undefined ? [] : [{ data: { values: [{}] }, mark: goalMark, encoding: { x: { datum: limit } } }]
  const x = { type: 'quantitative', title: finding.byRatio ? `ratio to ${finding.baseline}` : finding.unit }
  const y = { field: 'name', type: 'nominal', sort: null, title: null }
  const text = (paint: object) => ({
    mark: { type: 'text', align: 'left', dx: 6, fontSize: 11, ...paint },
    encoding: { x: { ...x, field: 'high' }, y, text: { field: 'label' } },
  })
  return {
    width: 460,
    height: { step: 24 },
    background: 'white',
    padding: 12,
    data: { values },
    layer: [
      {
        mark: { type: 'bar', cornerRadiusEnd: 2 },
        encoding: {
          x: { ...x, field: 'median' },
          y,
          color: {
            condition: { test: 'datum.own', value: colors.own },
            value: colors.other,
          },
        },
      },
      { mark: { type: 'rule', color: '#495057' }, encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' }, y } },
      ...goalLine,
      // The first is a halo that keeps the second readable where the goal's line crosses it.
      text({ stroke: 'white', strokeWidth: 4 }),
      text({ fill: '#212529' }),
    ],
    config: {
      font: 'system-ui, sans-serif',
      view: { stroke: null },
      axis: { labelLimit: 320, gridColor: '#f1f3f5', domain: false, ticks: false, labelFontSize: 12 },
    },
  }
}

/** Whether a bar is this project's; where nobody is compared with, all are. */
function isOwn({ rows }: Finding, name: string): boolean {
  const own = (some: string) => some.startsWith('shortlink-sdk')
  return own(name) || !rows.some((row) => own(row.name))
}

function label(finding: Finding, row: Finding['rows'][number]): string {
  const value = `${short(spread(row.samples).median)} ${finding.unit}`
  const paired = finding.byRatio && ratios(finding, row)
  return paired ? `${short(spread(paired).median)}  (${value})` : value
}
