/** What a study says under one set of rules, from one set of boards. */

import { fill, h } from '../dom.js';
import { joined, text } from '../text.js';
import { commandBlock } from './commands.js';
import { DataTable } from './data_table.js';
import { PlotFigure } from './plot.js';
import { namesOf, playerName } from './swatch.js';

/** How the league table comes: the column `mean score`. */
const BY_MEAN = { column: 2, direction: 'descending' };

/** Made once: where a study grows, the order of a table and the focus stay. */
export class SectionView {
  #players = [];
  #commands = '';

  /** @param {{rules: string, boards: string}} section */
  constructor({ rules, boards }) {
    const name = (place) => playerName(this.#players[place], place);
    this.tables = {
      league: new DataTable(text('lab.caption_league'), name, BY_MEAN, 'scores'),
      rates: new DataTable(text('lab.caption_rates'), name, null, 'reached'),
      survival: new DataTable(text('lab.caption_bands'), null, null, 'survival'),
      pairs: new DataTable(text('lab.caption_pairs'), null, null, 'differences'),
      settings: new DataTable(text('lab.caption_settings'), null, null, 'settings'),
    };
    const figure = (kind) => [kind, new PlotFigure(kind)];
    this.figures = Object.fromEntries(['reach', 'survival', 'scores', 'strength'].map(figure));
    this.hints = { league: hint(), pairs: hint() };
    this.notes = h('ul', { class: 'lab-notes' });
    this.machines = h('div', { class: 'stack' });
    this.commands = h('div');
    this.blocks = this.#blocks();
    this.element = h('section', { class: 'lab-section' },
      h('h3', null, `${text('picker.rules')} `, h('code', { text: rules }),
        boards && [`, ${text('lab.boards')} `, h('code', { text: boards })]), Object.values(this.blocks));
  }

  /**
   * @param {{name: string, changed: string}} study
   * @param {object} section
   * @param {object} charts of it
   */
  show(study, section, charts) {
    this.names = namesOf(section.players.map(({ label }) => label));
    this.#players = section.players.map((player) => ({ ...player, name: this.names.get(player.label) }));
    this.#showTables(study, section);
    for (const figure of Object.values(this.figures)) figure.show(charts, this.#players);
    fill(this.notes, section.notes.map((note) => h('li', { text: note })));
    fill(this.machines, section.machines.map((one) => machine(one, this.names)));
    if (this.#commands !== section.commands.join('\n')) this.#showCommands(section.commands);
    this.#hide(section);
  }

  close() {
    for (const figure of Object.values(this.figures)) figure.close();
  }

  #blocks() {
    const { tables, figures, hints } = this;
    return {
      league: block([tables.league.element, hints.league]),
      notes: this.notes,
      reach: block([heading('reach'), figures.reach.element, tables.rates.element]),
      survival: block([heading('survival'), figures.survival.element,
        h('details', { class: 'lab-settings' }, h('summary', { text: text('lab.bands') }), tables.survival.element)]),
      scores: block([heading('scores'), figures.scores.element]),
      strength: block([heading('strength'), figures.strength.element]),
      pairs: block([heading('pairs'), tables.pairs.element, hints.pairs]),
      commands: block([heading('again'), this.commands]),
      settings: h('details', { class: 'lab-settings' }, h('summary', { text: text('lab.settings') }),
        h('div', { class: 'stack' }, tables.settings.element, this.machines)),
    };
  }

  #showTables(study, section) {
    const file = study.name.replace(/\.db$/, '');
    for (const [name, table] of Object.entries(this.tables)) {
      const names = name === 'settings' ? undefined : this.names; // there, a spec stands beside it
      if (section[name]) table.show(section[name], file, names);
    }
    this.hints.league.textContent = text(section.has_spread ? 'lab.hint_spread' : 'lab.hint_league');
    this.hints.pairs.textContent = text(section.all_pairs ? 'lab.hint_pairs' : 'lab.hint_next_pairs');
  }

  #showCommands(commands) {
    this.#commands = commands.join('\n');
    fill(this.commands, commandBlock([...commands, text('lab.make_report')]));
  }

  #hide(section) {
    this.blocks.league.hidden = !section.league;
    this.blocks.notes.hidden = !section.notes.length;
    this.blocks.reach.hidden = !section.rates;
    this.blocks.survival.hidden = !section.survival;
    this.blocks.scores.hidden = this.figures.scores.element.hidden;
    this.blocks.strength.hidden = this.figures.strength.element.hidden;
    this.blocks.pairs.hidden = !section.pairs;
    this.blocks.commands.hidden = !section.commands.length;
  }
}

function block(parts) {
  return h('div', { class: 'lab-block' }, parts);
}

function heading(kind) {
  return h('h4', { text: text(`lab.title_${kind}`) });
}

function hint() {
  return h('p', { class: 'soft small' });
}

function machine({ players, values }, names) {
  const lines = Object.entries(values).map(([key, value]) => [h('dt', { text: key }), h('dd', { text: value })]);
  return h('div', null, h('p', { class: 'soft small', text: text('lab.machine', { players: joined(players.map((label) => names.get(label) ?? label)) }) }),
    h('dl', { class: 'lab-machine' }, lines));
}
