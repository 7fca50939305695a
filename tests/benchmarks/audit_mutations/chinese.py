# ruff: noqa: RUF001  Full-width punctuation is how Chinese is written.
"""A small group in Chinese; its wording is the project's own, and it is reported apart."""

from tests.benchmarks.audit_mutations.wording import (
    Correction,
    Limit,
    Neutral,
    Rule,
    Turned,
    Wordings,
)


def _same(*pairs: tuple[str, str]) -> tuple[Neutral, ...]:
    return tuple(Neutral(told, told, again) for told, again in pairs)


CHINESE = Wordings(
    opening=("请看一下{topic}，最近变慢了。", "我们来处理{topic}的问题。"),
    rules=(
        Rule(
            "{scope}，绝对不要修改{path}。",
            "{scope}，绝对不要修改{path}。",
            "{scope}，可以随意修改{path}。",
            "{scope}，尽量少修改{path}。",
        ),
        Rule(
            "{scope}，禁止调用{identifier}。",
            "{scope}，禁止调用{identifier}。",
            "{scope}，允许调用{identifier}。",
            "{scope}，不太建议调用{identifier}。",
        ),
        Rule(
            "{scope}，必须设置{env}。",
            "{scope}，必须设置{env}。",
            "{scope}，不必设置{env}。",
            "{scope}，最好设置{env}。",
        ),
        Rule(
            "{scope}，只能使用{flag}。",
            "{scope}，只能使用{flag}。",
            "{scope}，不能使用{flag}。",
            "{scope}，优先使用{flag}。",
        ),
    ),
    limits=(
        Limit(
            "{scope}，{topic}最多只能用 {size}。",
            "{scope}，{topic}最多只能用 {size}。",
            "{scope}，{topic}不限于 {size}。",
            "{scope}，{topic}尽量控制在 {size} 左右。",
            "{scope}，{topic}至少要用 {size}。",
        ),
        Limit(
            "{scope}，{topic}不得超过 {size}。",
            "{scope}，{topic}不得超过 {size}。",
            "{scope}，{topic}可以超过 {size}。",
            "{scope}，{topic}最好不超过 {size}。",
            "{scope}，{topic}不得低于 {size}。",
        ),
    ),
    lists=(
        Rule("只能修改{items}。", "只能修改{items}。", "", ""),
        Rule("不要重命名{items}。", "不要重命名{items}。", "", ""),
    ),
    decisions=(
        Turned(
            "决定：{topic}使用{identifier}。",
            "决定：{topic}使用{identifier}。",
            "决定：{topic}不使用{identifier}。",
        ),
        Turned(
            "我们决定把{topic}固定在 {version}。",
            "决定把{topic}固定在 {version}。",
            "决定不把{topic}固定在 {version}。",
        ),
    ),
    corrections=(
        Correction(
            "{topic}用的是 {old}。",
            "不对，{topic}用的是 {new}，不是 {old}。",
            "{topic}用的是 {new}。",
        ),
        Correction("{topic}设为 {old}。", "更正：{topic}应设为 {new}。", "{topic}设为 {new}。"),
    ),
    guesses=(
        Turned(
            "{topic}变慢可能是{identifier}引起的，尚未确认。",
            "{topic}变慢可能是{identifier}引起的（尚未确认）。",
            "{topic}变慢是{identifier}引起的。",
        ),
    ),
    speakers=(
        (
            "user",
            Turned(
                "请把{topic}的结果缓存到{identifier}。",
                "用户要求把{topic}的结果缓存到{identifier}。",
                "助手建议把{topic}的结果缓存到{identifier}。",
            ),
        ),
    ),
    statuses=(
        Turned("{topic}的测试全部通过。", "{topic}的测试全部通过。", "{topic}的测试没有通过。"),
        Turned("{topic}已经上线。", "{topic}已经上线。", "{topic}还没有上线。"),
    ),
    errors=(
        Turned("{topic}仍然报错 {error}，原因不明。", "{topic}仍然报错 {error}，原因不明。", ""),
    ),
    todos=(
        Turned(
            "待办：给{identifier}加重试。", "待办：给{identifier}加重试。", "{identifier}已加重试。"
        ),
    ),
    edits=(Turned("修改了{edit}。", "为{topic}修改了{edit}。", "{edit}已为{topic}修改。"),),
    neutral={
        "path": _same(("{topic}的代码在{path}里。", "{path}里是{topic}的代码。")),
        "home": _same(("{topic}的笔记在 {home}。", "{home} 是{topic}的笔记。")),
        "line": _same(("{topic}从 {line} 开始。", "{line} 是{topic}的起点。")),
        "url": _same(("{topic}的面板是 {url} 。", "面板 {url} 属于{topic}。")),
        "measure": _same(("{topic}耗用 {measure}。", "测得 {measure}，来自{topic}。")),
        "count": _same(("{topic}有 {count} 行。", "共 {count} 行属于{topic}。")),
        "version": _same(("{topic}运行 {version}。", "版本 {version} 用于{topic}。")),
        "hash": _same(("{topic}在提交 {hash} 中修复。", "提交 {hash} 修复了{topic}。")),
        "ticket": _same(("{ticket} 跟踪{topic}。", "{topic}由 {ticket} 跟踪。")),
        "address": _same(("{topic}监听 {address}。", "{address} 是{topic}的地址。")),
        "env": _same(("{topic}读取{env}。", "{env}由{topic}读取。")),
        "flag": _same(("{topic}以 {flag} 启动。", "启动{topic}时加了 {flag}。")),
        "identifier": _same(("{topic}调用{identifier}。", "{identifier}由{topic}调用。")),
        "quoted": _same(('{topic}显示 "{quoted}"。', '"{quoted}" 由{topic}显示。')),
        "date": _same(("{topic}的期限是 {date}。", "{date} 是{topic}的期限。")),
        "uuid": _same(("{topic}的任务是 {uuid}。", "任务 {uuid} 属于{topic}。")),
        "email": _same(("{topic}由 {email} 负责。", "{email} 负责{topic}。")),
        "signed": _same(("{topic}的偏差是 {signed}。", "偏差 {signed} 来自{topic}。")),
    },
    frames=("用户的规定：{rule}。", "用户要求：{rule}。"),
    scopes=("在生产环境", "冻结期间", "在发布分支上", "迁移完成之前"),
    stand_ins={
        "path": "那个文件",
        "env": "那个变量",
        "flag": "那个选项",
        "identifier": "那个函数",
        "version": "某个版本",
        "size": "约定的量",
    },
    topics=(
        "导入模块",
        "搜索页面",
        "夜间导出",
        "登录表单",
        "账单服务",
        "图片缓存",
        "限流器",
        "审计日志",
        "报表",
        "任务队列",
        "会话存储",
        "邮件网关",
        "价格源",
        "备份任务",
        "上传服务",
        "健康检查",
        "归档读取",
        "消息总线",
        "负载均衡",
        "指标代理",
        "管理后台",
        "缩略图",
        "地理查询",
        "权限中心",
    ),
    idle=(("user", "{topic}一定要运行两次吗？"), ("tool", "说明：贡献者不得在周日提交。")),
    headings=("## 约束与事实", "## 状态"),
)
